"""Prompts that a person can choose in a client, filled with what the store knows. As JSON, made without the SDK."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from satchel.errors import InvalidRequest, NotFound, SatchelError
from satchel.interfaces import agents, toolbox
from satchel.interfaces.operations import Session

MAX_ARGUMENT_CHARS = 4_000


class Prompt(Struct, frozen=True):
    """A prompt with one argument, and the tool whose answer it contains."""

    name: str
    title: str
    description: str
    argument: str
    argument_help: str
    tool: str
    options: Mapping[str, Any]
    request: str
    """What the message asks, with the argument in place of {}; the tool's answer follows."""


PROMPTS = (
    Prompt(
        "before_turn",
        "Before a turn",
        "What the memory has for the next step, as a small bundle with citations",
        argument="next_step",
        argument_help="what the next step is about",
        tool="memory_pack",
        options={},
        request="The next step is about: {}\n\nThis is what my memory has for it. Use what applies.",
    ),
    Prompt(
        "what_do_you_know",
        "What do you know about …",
        "Ask what the memory knows about a subject",
        argument="subject",
        argument_help="a person, a project, a word",
        tool="memory_recall",
        options={"limit": 20},
        request="What do you know about {}?\n\nAnswer from these memories. Name the id of each that you use, say which are "
        "untrusted, and say so if they do not answer.",
    ),
)


def list_prompts(bounds: agents.Bounds) -> list[dict[str, Any]]:
    """Return the prompts whose tools are offered."""
    return [
        {
            "name": one.name,
            "title": one.title,
            "description": one.description,
            "arguments": [{"name": one.argument, "description": one.argument_help, "required": True}],
        }
        for one in PROMPTS
        if agents.refusal_of(agents.TOOLS[one.tool], bounds) is None
    ]


def get_prompt(
    name: str, given: Mapping[str, str], session: Session, bounds: agents.Bounds, client: str
) -> dict[str, Any]:
    """Return the messages of a prompt. Raises SatchelError for an unknown one or a wrong argument."""
    prompt = next((one for one in PROMPTS if one.name == name), None)
    if prompt is None:
        hint = f"there are {', '.join(one.name for one in PROMPTS)}"
        raise NotFound(f"no prompt {name[:40]!a}", code="no_prompt", hint=hint)
    subject = _argument(prompt, given)
    answer = agents.perform(session, agents.TOOLS[prompt.tool], bounds, {"query": subject, **prompt.options}, client)
    if isinstance(answer, SatchelError):
        raise answer
    text = f"{prompt.request.format(subject)}\n\n{toolbox.text_of(answer)}"
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"description": prompt.description, "messages": [message]}


def _argument(prompt: Prompt, given: Mapping[str, str]) -> str:
    hint = f"{prompt.argument}: {prompt.argument_help}"
    if unknown := [name for name in given if name != prompt.argument]:
        raise InvalidRequest(f"{prompt.name} has no argument {unknown[0][:40]!a}", code="unknown_param", hint=hint)
    subject = given.get(prompt.argument, "").strip()
    if not subject:
        raise InvalidRequest(f"{prompt.name} needs {prompt.argument!r}", code="missing_param", hint=hint)
    if len(subject) > MAX_ARGUMENT_CHARS:
        limit = f"at most {MAX_ARGUMENT_CHARS} characters"
        raise InvalidRequest(f"{prompt.argument} is too long", code="text_too_long", hint=limit)
    return subject
