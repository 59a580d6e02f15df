// Every page works without this file, except for uploading a file.
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
      try { localStorage.setItem("theme", other); } catch { /* The choice is not remembered. */ }
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

  // A choice made with the pointer submits the form. Keys change a value one step at a time: if each step submitted, the
  // page would reload at the first one, and the other choices could not be reached. The form's button submits those.
  const submitOnChoice = (control) => {
    let byKey = false;
    control.addEventListener("keydown", () => { byKey = true; });
    control.addEventListener("pointerdown", () => { byKey = false; });
    control.addEventListener("change", () => { if (!byKey && control.form.checkValidity()) control.form.requestSubmit(); });
  };

  const setUpFilters = () => document.querySelectorAll("form.filters select").forEach(submitOnChoice);

  // Choose every record of a form, or none if all are chosen. The boxes stand outside the form and name it.
  const setUpChooseAll = () => {
    for (const button of document.querySelectorAll("[data-choose-all]")) {
      const boxes = [...button.form.elements].filter((one) => one.type === "checkbox");
      button.hidden = boxes.length < 2;
      button.addEventListener("click", () => {
        const all = boxes.every((one) => one.checked);
        for (const box of boxes) box.checked = !all;
      });
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
      field.after(slider);
      submitOnChoice(slider);
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
      if (file.size > Number(form.dataset.most)) return fail("The file is too large. Enter its path on this machine instead.");
      const request = new XMLHttpRequest();
      const about = new URLSearchParams({ name: file.name, modified: file.lastModified });
      request.open("POST", `${form.dataset.upload}?${about}`);
      request.setRequestHeader("Content-Type", "application/octet-stream");
      request.setRequestHeader("Satchel-Form-Token", form.dataset.token);
      request.responseType = "document";
      request.upload.addEventListener("progress", (event) => { bar.value = event.loaded / (event.total || 1); });
      request.upload.addEventListener("load", () => { status.textContent = "Reading the file"; });
      request.addEventListener("error", () => fail("The file could not be uploaded."));
      request.addEventListener("load", () => {
        if (request.status === 201) return location.assign(request.getResponseHeader("Location"));
        const said = request.response && request.response.querySelector("[role=alert]");
        fail(said ? said.textContent : "The file could not be uploaded.");
      });
      Object.assign(bar, { hidden: false, value: 0 });
      input.disabled = true;
      status.textContent = "Uploading";
      request.send(file);
    };
    input.addEventListener("change", () => { if (input.files.length) send(input.files[0]); });
    form.addEventListener("dragover", (event) => event.preventDefault());
    form.addEventListener("drop", (event) => {
      event.preventDefault();
      const files = event.dataTransfer.files;
      if (files.length === 1) send(files[0]);
      else fail("One file at a time. For a folder, enter its path below.");
    });
  };

  // Show the progress of an import; without this file the page reloads itself.
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
    setUpChooseAll();
    setUpUpload();
    setUpFollowing();
  });
})();
