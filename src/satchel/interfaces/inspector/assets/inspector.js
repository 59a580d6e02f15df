// Comfort only: every page reads and works without this file.
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

  document.addEventListener("DOMContentLoaded", () => {
    setUpTheme();
    setUpKeys();
    setUpFilters();
    setUpSliders();
  });
})();
