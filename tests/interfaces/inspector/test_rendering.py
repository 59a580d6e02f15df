"""What every page says around its content."""

import pytest

from satchel.interfaces.inspector.rendering import render


@pytest.mark.parametrize("is_local", [True, False])
def test_only_a_page_for_this_machine_says_so(is_local: bool) -> None:
    html = render("enter.html", path="", form_token="", now=0, is_local=is_local, used=False)

    assert ("this machine only" in html) is is_local
