"""Home folders are hidden, and nothing else is."""

from satchel.domain.safety.private_paths import may_have_home_folder, without_home_folders
from tests.tables import each_case


@each_case(
    ("text", "expected"),
    [
        ("see /home/anna/notes/plan.md", "see ~/notes/plan.md"),
        ("'/Users/Anna Maria/x'", "'~ Maria/x'"),
        ("/Users/anna", "~"),
        (r"in C:\Users\anna\keys.txt", r"in ~\keys.txt"),
        ("cd /root/work", "cd ~/work"),
        ("file:///home/anna/plan.md", "file://~/plan.md"),
        (r'{"path": "C:\\Users\\anna\\keys.txt"}', r'{"path": "~\\keys.txt"}'),
        ("/home/anna: not found", "~: not found"),
        ("https://shop.example/home/anna", "https://shop.example/home/anna"),
        ("src/home/page.ts", "src/home/page.ts"),
        ("/etc/hosts and /srv/data", "/etc/hosts and /srv/data"),
        ("the /home route", "the /home route"),
        ("", ""),
    ],
)
def test_a_home_folder_becomes_a_tilde(text: str, expected: str) -> None:
    assert without_home_folders(text) == expected
    assert may_have_home_folder(text) or text == expected
