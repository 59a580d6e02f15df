"""Source in other languages: definitions, imports and calls across files."""

from pathlib import Path

from satchel.app import Satchel
from satchel.graph.reading import read_file
from tests.graph.samples import Triple, triples
from tests.tables import each_case

SESSION = """export class Base { close() {} }
export class SessionStore extends Base { find(token) { return this.close(); } }
export const open = () => new SessionStore();
"""
AUTH = """import { SessionStore as Store, open } from "./session";
import * as tools from "../lib/tools.js";
import React from "react";
import { z } from "@acme/forms/deep";
const old = require("./session");

export function check(token: string): string {
  const inner = () => helper(token);
  return open().find(token) + tools.trim(token) + new Store();
}
function helper(t: string) { return t; }
"""
TOOLS = "export function trim(t) { return t; }\n"


def _project(root: Path) -> Path:
    for name, text in (("web/session.ts", SESSION), ("web/auth.ts", AUTH), ("lib/tools.js", TOOLS)):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def test_names_resolve_to_definitions_in_other_files(memory: Satchel, tmp_path: Path) -> None:
    memory.graph.extract(str(_project(tmp_path / "shop")))

    def answers(question: str) -> set[str]:
        return {one.entity.name for one in memory.graph.ask(question).result.answers}

    assert answers("what calls `open`") == {"web/auth.ts:check"}
    assert answers("what calls trim()") == {"web/auth.ts:check"}
    assert answers("what calls helper()") == {"web/auth.ts:check"}
    assert answers("callers of SessionStore") == {"web/session.ts:open", "web/auth.ts:check"}
    assert answers("callers of Base.close") == {"web/session.ts:SessionStore.find"}
    assert answers("subclasses of Base") == {"web/session.ts:SessionStore"}
    assert answers("what imports react") == {"web/auth.ts"}
    assert answers("which modules import `web/session.ts`") == {"web/auth.ts"}
    assert answers("where is SessionStore defined") == {"web/session.ts"}


@each_case(
    ("path", "text", "expected"),
    [
        (
            "m/main.go",
            'package m\nimport (\n "fmt"\n a "x.org/y"\n)\ntype T struct{}\nfunc (t *T) M() { f() }\nfunc f() {}\n',
            {
                ("m/main.go", "IMPORTS", "fmt"),
                ("m/main.go", "IMPORTS", "x.org/y"),
                ("m/main.go:T", "CONTAINS", "m/main.go:T.M"),
                ("m/main.go:T.M", "CALLS", "m/main.go:f"),
            },
        ),
        (
            "src/lib.rs",
            "use std::fs;\nuse crate::m::N;\nstruct S;\nimpl S { fn m(&self) {} }\nfn f() { S::m(); }\n",
            {
                ("src/lib.rs", "IMPORTS", "std"),
                ("src/lib.rs:S", "CONTAINS", "src/lib.rs:S.m"),
                ("src/lib.rs:f", "CALLS", "src/lib.rs:S.m"),
            },
        ),
        (
            "a/E.java",
            "package a;\nimport java.util.List;\nclass D {}\nclass E extends D { void m() { n(); } void n() {} }\n",
            {
                ("a/E.java", "IMPORTS", "java.util"),
                ("a/E.java:E", "INHERITS", "a/E.java:D"),
                ("a/E.java:E.m", "CALLS", "a/E.java:E.n"),
            },
        ),
        (
            "c/f.c",
            '#include <stdio.h>\n#include "x.h"\nint g(int a) { return a; }\nint f(int a) { return g(a); }\nstruct s { int a; };\n',
            {
                ("c/f.c", "IMPORTS", "stdio.h"),
                ("c/f.c", "IMPORTS", "c/x.h"),
                ("c/f.c:f", "CALLS", "c/f.c:g"),
                ("c/f.c", "CONTAINS", "c/f.c:s"),
            },
        ),
    ],
    ids=["go", "rust", "java", "c"],
)
def test_other_languages_are_read(path: str, text: str, expected: set[Triple]) -> None:
    assert expected <= triples(read_file(path, text, "p"))


@each_case("path", ["a.ts", "a.go", "a.rs", "a.java", "a.c", "a.jsx"])
@each_case("text", ["", "{" * 20_000, "import", "\ud800", "class {", "f(" * 5_000, "import x from './../../../up'"])
def test_a_file_that_does_not_parse_yields_its_module(path: str, text: str) -> None:
    assert read_file(path, text, "p").mentions[0].ref.name == path
