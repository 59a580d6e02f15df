// Comfort only: every page reads and works without this file, but for sending a file.
"use strict";

(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");

  const chosen = () => {
    try { return localStorage.getItem("theme"); } catch { return null; }
  };
  const theme = () => chosen() || (dark.matches ? "dark" : "light");

  // Before the page is drawn, so that it does not flash.
  if (chosen()) root.dataset.theme = chosen();

  const setUpTheme = () => {
    const button = document.querySelector("[data-theme-toggle]");
    const show = () => { button.textContent = theme() === "dark" ? "Light" : "Dark"; };
    button.hidden = false;
    button.addEventListener("click", () => {
      const other = theme() === "dark" ? "light" : "dark";
      root.dataset.theme = other;
      try { localStorage.setItem("theme", other); } catch { /* Not remembered, then. */ }
      show();
    });
    dark.addEventListener("change", show);
    show();
  };

  // "g" and then the key of a page opens it; "/" goes to the first search field.
  const setUpKeys = () => {
    const pages = [...document.querySelectorAll("nav [data-key]")];
    let waiting = false;
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.closest("input, textarea, select, [contenteditable]")) return;
      if (waiting) {
        waiting = false;
        const page = pages.find((one) => one.dataset.key === event.key);
        if (page) { event.preventDefault(); page.click(); }
      } else if (event.key === "g") {
        waiting = true;
      } else if (event.key === "/") {
        const field = document.querySelector("input[type=search]");
        if (field) { event.preventDefault(); field.focus(); }
      }
    });
  };

  // Filters apply when a choice is made; without this file there is a button.
  const setUpFilters = () => {
    for (const select of document.querySelectorAll("form.filters select")) {
      select.addEventListener("change", () => select.form.requestSubmit());
    }
  };

  // A slider beside a field for a point in the history; the right end is now.
  const setUpSliders = () => {
    for (const field of document.querySelectorAll("[data-slider]")) {
      const last = Number(field.dataset.slider);
      const slider = document.createElement("input");
      Object.assign(slider, { type: "range", min: 1, max: last + 1 });
      slider.value = /^#?\d+$/.test(field.value) ? field.value.replace("#", "") : last + 1;
      slider.setAttribute("aria-label", "Point in the history");
      slider.addEventListener("input", () => { field.value = Number(slider.value) > last ? "" : slider.value; });
      slider.addEventListener("change", () => { if (field.form.q.value) field.form.requestSubmit(); });
      field.closest("label").after(slider);
    }
  };

  // A file that is chosen or dropped is sent as it is; the answer names its page.
  const setUpUpload = () => {
    const form = document.querySelector("[data-upload]");
    if (!form) return;
    const [input, alert, status, bar] = ["input", "[role=alert]", "[role=status]", "progress"]
      .map((one) => form.querySelector(one));
    const fail = (text) => {
      Object.assign(alert, { textContent: text, hidden: false });
      Object.assign(bar, { hidden: true });
      Object.assign(input, { value: "", disabled: false });
      status.textContent = "";
    };
    const send = (file) => {
      alert.hidden = true;
      if (file.size > Number(form.dataset.most)) return fail("The file is too large. Name its path on this machine instead.");
      const request = new XMLHttpRequest();
      const about = new URLSearchParams({ name: file.name, modified: file.lastModified });
      request.open("POST", `${form.dataset.upload}?${about}`);
      request.setRequestHeader("Content-Type", "application/octet-stream");
      request.setRequestHeader("Satchel-Form-Token", form.dataset.token);
      request.responseType = "document";
      request.upload.addEventListener("progress", (event) => { bar.value = event.loaded / (event.total || 1); });
      request.upload.addEventListener("load", () => { status.textContent = "Reading it"; });
      request.addEventListener("error", () => fail("The file could not be sent."));
      request.addEventListener("load", () => {
        if (request.status === 201) return location.assign(request.getResponseHeader("Location"));
        const said = request.response && request.response.querySelector("[role=alert]");
        fail(said ? said.textContent : "The file could not be sent.");
      });
      Object.assign(bar, { hidden: false, value: 0 });
      input.disabled = true;
      status.textContent = "Sending it";
      request.send(file);
    };
    input.addEventListener("change", () => { if (input.files.length) send(input.files[0]); });
    form.addEventListener("dragover", (event) => event.preventDefault());
    form.addEventListener("drop", (event) => {
      event.preventDefault();
      const files = event.dataTransfer.files;
      if (files.length === 1) send(files[0]);
      else fail("One file at a time. For a folder, name its path below.");
    });
  };

  // What is under way is shown as it goes on; without this file the page loads itself again.
  const setUpFollowing = () => {
    const follow = async () => {
      const shown = document.querySelector("[data-follow]");
      if (!shown) return;
      const answer = await fetch(location.href);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const next = page.querySelector("[data-follow]");
      if (!next) return location.reload();
      for (const part of ["h2", "[role=status]", "progress"]) {
        shown.querySelector(part).replaceWith(document.importNode(next.querySelector(part), true));
      }
      setTimeout(follow, 500);
    };
    setTimeout(follow, 500);
  };

  document.addEventListener("DOMContentLoaded", () => {
    setUpTheme();
    setUpKeys();
    setUpFilters();
    setUpSliders();
    setUpUpload();
    setUpFollowing();
  });
})();
