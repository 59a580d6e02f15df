"""Settings: every knob once, with its help, its default and its environment variable. The one reader of the environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from satchel.domain.embedding import Clamp
from satchel.domain.knob import knobs
from satchel.domain.scope import DEFAULT_SCOPE, scope_name
from satchel.errors import InvalidRequest
from satchel.place import PREFIX as PREFIX
from satchel.place import folder_named, platform_folder
from satchel.store.lifecycle import LifecyclePolicy


def _knob(
    default: Any, help: str, *, least: float | None = None, most: float | None = None, choices: tuple[str, ...] = ()
) -> Any:
    return field(default=default, metadata={"help": help, "least": least, "most": most, "choices": choices})


def _lifecycle_knob(name: str) -> Any:
    policy = knobs(LifecyclePolicy)[name]
    return _knob(getattr(LifecyclePolicy(), name), policy.help, least=policy.least, most=policy.most)


@dataclass(frozen=True, slots=True)
class Settings:
    """How this Satchel is set up. Each field can be given as SATCHEL_<NAME>."""

    home: str = _knob("", "folder of the store; empty means the platform's data folder for satchel")
    scope: str = _knob(DEFAULT_SCOPE, "scope used when a request names none")
    models: str = _knob(
        "", "folder of embedding models; empty means 'models' in the platform's data folder for satchel"
    )
    embedder: str = _knob("", "minilm, openai, hashing or none; empty means what the store remembers, else minilm")
    embedding_url: str = _knob("http://127.0.0.1:11434/v1", "base address of an OpenAI-compatible endpoint")
    embedding_model: str = _knob("all-minilm", "model name sent to that endpoint")
    embedding_api_key: str = _knob("", "key sent to that endpoint as a bearer token")
    embedding_dimensions: int = _knob(
        0, "vector length asked of that endpoint; 0 takes what it gives", least=0, most=16384
    )
    embedding_timeout_ms: int = _knob(10_000, "longest wait for that endpoint", least=100, most=120_000)
    embedding_max_chars: int = _knob(
        6_000, "longest text that is embedded; longer ones lose their middle", least=200, most=200_000
    )
    embedding_head_chars: int = _knob(500, "how much of a long text's beginning is kept", least=0, most=20_000)
    fusion: str = _knob(
        "scores", "how lanes become one ranking: by their scores, or by rank alone", choices=("scores", "rrf")
    )
    catch_up_ms: int = _knob(200, "longest a recall spends embedding and indexing what is new", least=0, most=60_000)
    lifecycle_p1_days: int = _lifecycle_knob("p1_days")
    lifecycle_p2_days: int = _lifecycle_knob("p2_days")
    lifecycle_max_gap_days: int = _lifecycle_knob("max_gap_days")

    def __post_init__(self) -> None:
        scope_name(self.scope)
        for knob in fields(self):
            _check_range(knob.name, getattr(self, knob.name), knob.metadata)

    @property
    def home_folder(self) -> Path:
        """Where the store lives."""
        return folder_named(self.home) if self.home else platform_folder()

    @property
    def models_folder(self) -> Path:
        """Where embedding models live: shared by every store, since they are large and never change."""
        return folder_named(self.models) if self.models else platform_folder() / "models"

    @property
    def lifecycle(self) -> LifecyclePolicy:
        """How long records live without being used."""
        return LifecyclePolicy(
            p1_days=self.lifecycle_p1_days,
            p2_days=self.lifecycle_p2_days,
            max_gap_days=self.lifecycle_max_gap_days,
        )

    @property
    def clamp(self) -> Clamp:
        """How much of a long text is embedded."""
        return Clamp(self.embedding_max_chars, self.embedding_head_chars)


def load(environment: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
    """Read the settings: what is given here wins over the environment, which wins over the defaults."""
    environment = os.environ if environment is None else environment
    given = {name: value for name, value in overrides.items() if value is not None}
    if given.get("home") == "":
        raise InvalidRequest("the store's folder has no name", code="invalid_setting", hint="give --home a folder")
    for knob in fields(Settings):
        text = environment.get(PREFIX + knob.name.upper())
        if text and knob.name not in given:
            given[knob.name] = _parsed(knob.name, text, knob.type)
    return Settings(**given)


def debugging() -> bool:
    """Say whether a defect is to be shown with its traceback. Apart from the settings: it must work when they fail."""
    return bool(os.environ.get(f"{PREFIX}DEBUG"))


def _parsed(name: str, text: str, kind: Any) -> Any:
    if kind is not int:
        return text
    try:
        return int(text)
    except ValueError:
        raise InvalidRequest(f"{PREFIX}{name.upper()} must be a whole number", code="invalid_setting") from None


def _check_range(name: str, value: Any, metadata: Mapping[str, Any]) -> None:
    if metadata["choices"] and value not in metadata["choices"]:
        raise InvalidRequest(
            f"setting {name} is {value!r}", code="invalid_setting", hint=f"one of: {', '.join(metadata['choices'])}"
        )
    least, most = metadata["least"], metadata["most"]
    if least is not None and not (type(value) is int and least <= value <= most):
        raise InvalidRequest(
            f"setting {name} is {value!r}, it must be a whole number from {least} to {most}", code="invalid_setting"
        )
