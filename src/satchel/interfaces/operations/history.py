"""What one does with the history of a store: name a moment, compare with it, go back to it."""

from satchel.domain.history import Compared, Restored, Tagged, TagList, Untagged
from satchel.interfaces.operations.operation import ALL_SCOPES, SCOPE, Operation, Parameter, flag

_NAME = Parameter("name", "name of the tag", required=True, positional=True)
_POINT = Parameter("point", "a tag, or a sequence number", required=True, positional=True)

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "tag create",
        "give the present moment of the store a name",
        lambda session, given: session.memory.tags.create(**given),
        result=Tagged,
        writes=True,
        operator_only=True,
        parameters=(
            _NAME,
            Parameter("note", "what to remember of it; secrets are masked"),
            Parameter("seq", "name this sequence number instead of the present one", type=int),
        ),
        details="A tag is a name for a sequence number: it copies nothing and costs nothing.",
        examples=('satchel tag create before-refactor --note "all of it green"',),
    ),
    Operation(
        "tag list",
        "list the tags, newest moment first",
        lambda session, given: session.memory.tags.list(**given),
        result=TagList,
        writes=False,
        parameters=(
            Parameter("elsewhere", "leave notes out", type=bool, default=True, flag="notes", operator_only=True),
        ),
    ),
    Operation(
        "tag show",
        "count how the memories of a scope differ from what they were",
        lambda session, given: session.memory.tags.show(**given),
        result=Compared,
        writes=False,
        operator_only=True,
        parameters=(_POINT, SCOPE, ALL_SCOPES),
        examples=("satchel tag show before-refactor", "satchel tag show 120"),
    ),
    Operation(
        "tag restore",
        "bring every memory of a scope back to the state it had",
        lambda session, given: session.memory.tags.restore(progress=session.progress, **given),
        result=Restored,
        writes=True,
        long=True,
        operator_only=True,
        destructive=True,
        idempotent=True,
        parameters=(_POINT, SCOPE, ALL_SCOPES, flag("dry_run", "write nothing, and say what would be done")),
        details="What was there becomes what it was; what was made since is archived; what was forgotten stays erased. All of it "
        "or nothing, by new changes: the answer names the sequence number that takes it back.",
        examples=("satchel tag restore before-refactor --dry-run", "satchel tag restore 120 --scope repo/api"),
    ),
    Operation(
        "tag delete",
        "take the name of a moment away",
        lambda session, given: session.memory.tags.delete(**given),
        result=Untagged,
        writes=True,
        operator_only=True,
        parameters=(_NAME,),
        details="The history stays: 'tag create NAME --seq N' names the moment again.",
    ),
)
