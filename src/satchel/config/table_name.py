"""OpenClaw's key for the name of the table: the one key of its plugin that is not a setting here."""

from satchel.config.answers import SettingExplanation, SettingSource
from satchel.config.catalogue import OPENCLAW_PREFIX

TABLE_KEY, TABLE = "tableName", "memories"


def is_table_name(name: str) -> bool:
    """Return whether this is OpenClaw's key for the table name."""
    return name.strip().removeprefix(OPENCLAW_PREFIX) == TABLE_KEY


def explain_table_name() -> SettingExplanation:
    """Explain the key as if it were a setting that nobody can change."""
    return SettingExplanation(
        key=TABLE_KEY,
        help=f"the table is always called {TABLE}",
        type="text",
        limits=f"always {TABLE}",
        default=TABLE,
        variable="",
        openclaw=TABLE_KEY,
        value=TABLE,
        source=SettingSource.DEFAULT,
    )
