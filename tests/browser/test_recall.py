"""The recall playground in Chromium."""

from tests.browser.conftest import Tab, count_submissions


def test_a_question_is_answered_by_words_meaning_and_both(tab: Tab) -> None:
    tab.server.ask("/v1/store", {"text": "the walrus sleeps on ice", "scope": "ice"})
    page = tab.go("/recall?scope=ice")

    page.get_by_label("Question").fill("walrus")
    page.get_by_role("button", name="Recall").click()
    page.wait_for_url("**q=walrus**")

    assert page.get_by_role("heading", level=2).count() == 3
    assert page.get_by_role("table").first.get_by_role("row").count() > 1


def test_the_slider_goes_back_in_the_history(tab: Tab) -> None:
    tab.server.ask("/v1/store", {"text": "the crane is red", "scope": "crane"})
    then = tab.server.ask("/v1/tag_list").json["result"]["seq"]
    tab.server.ask("/v1/store", {"text": "a crane may be blue now", "scope": "crane"})
    page = tab.go("/recall?q=crane&scope=crane")
    assert page.get_by_text("a crane may be blue now").count() > 0

    # Filling it in moves the slider and lets it go, which submits the form.
    page.get_by_label("Point in the history").fill(str(then))
    page.wait_for_url(f"**as_of={then}**")

    page.get_by_text("the crane is red").first.wait_for()
    assert page.get_by_text("a crane may be blue now").count() == 0


def test_the_slider_moves_step_by_step_with_the_keyboard(tab: Tab) -> None:
    for number in range(4):
        tab.server.ask("/v1/store", {"text": f"the heron eats {number} frogs", "scope": "heron"})
    now = tab.server.ask("/v1/tag_list").json["result"]["seq"]
    page = tab.go("/recall?q=heron&scope=heron")

    count_submissions(page)
    page.get_by_label("Point in the history").focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    assert page.evaluate("window.submissions") == 0
    page.keyboard.press("Enter")

    page.wait_for_url(f"**as_of={now - 2}**")
