// Steps through the pictures of a game. A picture is shown as an image, so that nothing in it runs.

function button(sign, name, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = sign;
  made.title = name;
  made.setAttribute("aria-label", name);
  made.addEventListener("click", act);
  return made;
}

function render({ model, el }) {
  const last = () => model.get("pictures").length - 1;
  let timer = null;

  const board = document.createElement("img");
  const caption = document.createElement("p");
  const slider = document.createElement("input");
  slider.type = "range";
  slider.min = 0;
  slider.setAttribute("aria-label", "turn");

  function show() {
    const place = model.get("shown");
    const words = model.get("captions")[place];
    board.src = "data:image/svg+xml," + encodeURIComponent(model.get("pictures")[place]);
    board.alt = words;
    caption.textContent = words;
    slider.max = last();
    slider.value = place;
    back.disabled = place === 0;
    next.disabled = place === last();
  }

  function go(place) {
    model.set("shown", Math.max(0, Math.min(last(), place)));
    model.save_changes();
    show();
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = "▶";
    play.title = "play";
    play.setAttribute("aria-label", "play");
  }

  function playOrPause() {
    if (timer !== null) return stop();
    if (model.get("shown") === last()) go(0);
    timer = setInterval(() => {
      if (model.get("shown") >= last()) return stop();
      go(model.get("shown") + 1);
    }, model.get("milliseconds"));
    play.textContent = "⏸";
    play.title = "pause";
    play.setAttribute("aria-label", "pause");
  }

  const back = button("◀", "previous turn", () => { stop(); go(model.get("shown") - 1); });
  const play = button("▶", "play", playOrPause);
  const next = button("▶|", "next turn", () => { stop(); go(model.get("shown") + 1); });
  slider.addEventListener("input", () => { stop(); go(Number(slider.value)); });

  const bar = document.createElement("div");
  bar.className = "sandtable-bar";
  bar.append(back, play, next, slider);
  el.classList.add("sandtable-replay");
  el.append(board, caption, bar);
  model.on("change:shown", show);
  show();
  return () => { stop(); model.off("change:shown", show); };
}

export default { render };
