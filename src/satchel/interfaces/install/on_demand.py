"""Let hooks start the store's server while Satchel is installed in a host: the setting serve.on_demand."""

from msgspec.structs import replace

from satchel.config import SettingsSources, file
from satchel.config.sources import CATALOGUE
from satchel.interfaces.install.records import Records, SwitchRecord

_ENTRY = CATALOGUE["serve.on_demand"]


def turn_on(sources: SettingsSources, records: Records) -> Records:
    """Turn it on in the settings file, and return the records with what it was before the first installation."""
    before = _written(sources)
    if before is not True:
        file.set_value(sources.file, _ENTRY, True)
    return records if records.on_demand else replace(records, on_demand=SwitchRecord(before))


def turn_back(sources: SettingsSources, records: Records) -> Records:
    """Set it to what it was before the first installation, if this was the last and nobody changed it since."""
    if records.installs or records.on_demand is None:
        return records
    before = records.on_demand.before
    if _written(sources) is True and before is not True:
        if before is None:
            alone = file.read(sources.file).get(_ENTRY.group) == {_ENTRY.name: True}
            file.remove(sources.file, _ENTRY.group, "" if alone else _ENTRY.name)
        else:
            file.set_value(sources.file, _ENTRY, before)
    return replace(records, on_demand=None)


def _written(sources: SettingsSources) -> bool | None:
    """Return the value in the settings file; None if it is not set there."""
    group = file.read(sources.file).get(_ENTRY.group)
    found = group.get(_ENTRY.name) if isinstance(group, dict) else None
    return found if isinstance(found, bool) else None
