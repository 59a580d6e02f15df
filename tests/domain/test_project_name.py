"""The scopes of projects: the same for one repository however it is cloned, and never with a password in them."""

from satchel.domain.project_name import project_scope_name, repository_path
from satchel.domain.scope_name import strict_name
from tests.tables import each_case

SAME_REPOSITORY = [
    "git@github.com:acme/shop.git",
    "git@github.com:acme/shop",
    "git@github.com:/acme/shop.git/",
    "https://github.com/acme/shop",
    "https://github.com/Acme/Shop.git",
    "https://github.com//acme//shop/",
    "HTTPS://GITHUB.COM/ACME/SHOP",
    "ssh://git@github.com/acme/shop.git",
    "ssh://git@github.com:22/acme/shop.git",
    "ssh://git@[2001:db8::1]:7999/acme/shop.git",
    "git://github.com/acme/shop.git",
    "git+ssh://git@github.com/acme/shop",
    "https://bitbucket.example/scm/acme/shop.git",
    "gh:acme/shop",
    "  https://github.com/acme/shop  ",
    "https://github.com/acme/shop#readme",
]
WITH_SECRETS = [
    "https://me:s3cretpw@github.com/acme/shop.git",
    "https://s3cretpw@github.com/acme/shop.git",
    "https://s3cretpw:x-oauth-basic@github.com/acme/shop",
    "https://me:s3/cretpw@github.com/acme/shop",
    "https://me:s3@cretpw@github.com/acme/shop",
    "https://me:s3?cretpw@github.com/acme/shop",
    "https://me:s3#cretpw@github.com/acme/shop",
    "https://me:a:b://cretpw@github.com/acme/shop",
    "me:s3cretpw@github.com:acme/shop",
    "https://github.com/acme/shop?token=s3cretpw",
    "https://github.com/acme/shop?u=a@b/s3cretpw",
    "https://github.com/acme/shop#s3cretpw",
    "https://me%3As3cretpw%40github.com/acme/shop",
    "https://github.com/ghp_cretpwAbCdEfGh1234567890IjKlMnOpQrSt/shop",
    "ssh://me:s3cretpw@[::1]:22/acme/shop",
    "https:\\\\me:s3cretpw@github.com\\acme\\shop",
]


@each_case("url", SAME_REPOSITORY)
def test_every_address_of_a_repository_is_one_scope(url: str) -> None:
    path = repository_path(url)
    assert path is not None
    assert project_scope_name(path) == "project/acme/shop"


@each_case("url", WITH_SECRETS)
def test_no_password_reaches_the_name(url: str) -> None:
    path = repository_path(url)
    assert path is None or "cretpw" not in path.lower()
    assert path is None or strict_name(project_scope_name(path))


@each_case(
    ("url", "expected"),
    [
        ("git@gitlab.com:acme/web/backend/shop.git", "project/acme/web/backend/shop"),
        ("https://dev.azure.com/acme/web/_git/shop", "project/acme/web/shop"),
        ("git@ssh.dev.azure.com:v3/acme/web/shop", "project/acme/web/shop"),
        ("/srv/git/shop.git", "project/shop"),
        ("../shop", "project/shop"),
        ("file:///srv/git/Shop/.git", "project/shop"),
        ("C:\\repos\\shop", "project/shop"),
        ("git@example.org:~alice/dot files.git", "project/alice/dot-files"),
        ("https://example.org/team/my%20shop", "project/team/my-shop"),
        ("https://github.com", None),
        ("https://github.com/", None),
        ("git@github.com:", None),
        ("", None),
        ("///", None),
        ("https://github.com/../..", None),
        ("https://github.com/acme/sh\nop", None),
        ("https://github.com/acme/sh\0op", None),
        ("https://github.com/" + "a" * 5_000, None),
    ],
)
def test_other_addresses(url: str, expected: str | None) -> None:
    path = repository_path(url)
    assert (None if path is None else project_scope_name(path)) == expected


@each_case(
    ("path", "expected"),
    [
        ("My Shop", "project/my-shop"),
        ("global", "project/global"),
        ("auto", "project/auto"),
        (".config", "project/config"),
        ("a:b", "project/a-b"),
        ("商店", "project/unnamed-"),
        ("café", "project/caf-"),
        ("...", "project/unnamed-"),
        ("x" * 300, "project/xxx"),
        ("\ud800", "project/unnamed-"),
        ("../../etc", "project/etc"),
    ],
)
def test_any_name_makes_a_valid_scope(path: str, expected: str) -> None:
    for longest in (8, 16, 64, 256):
        assert strict_name(project_scope_name(path, longest), longest)
    assert project_scope_name(path).startswith(expected)


def test_names_that_lose_letters_stay_apart() -> None:
    names = ["商店", "书店", "café", "cafe", "x" * 300, "x" * 301, "acme/商店", "商店/acme"]
    assert len({project_scope_name(name) for name in names}) == len(names)
    # A file system may write é as e and an accent.
    assert project_scope_name("cafe\u0301") == project_scope_name("caf\u00e9")
