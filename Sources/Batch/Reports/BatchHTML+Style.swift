extension BatchHTML {
  static let style = """
    :root { color-scheme: light dark; --paper: #f6f7f8; --card: #fff; --ink: #1d2227; --quiet: #68727c;
      --line: #dfe3e7; --done: #3c8c5c; --failed: #c0392b; --temporary: #c77d0a; --due: #b4bcc4; }
    @media (prefers-color-scheme: dark) { :root { --paper: #14171a; --card: #1e2226; --ink: #e4e7ea;
      --quiet: #98a2ac; --line: #31373d; --done: #55b27d; --failed: #ef6a5b; --temporary: #e8a33d;
      --due: #59636d; } }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--paper); color: var(--ink);
      font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
    header, main { max-width: 1480px; margin: 0 auto; padding: 0 24px; }
    header { padding-top: 28px; }
    h1 { margin: 0; font-size: 22px; font-weight: 650; overflow-wrap: anywhere; }
    .run, .command { margin: 2px 0; color: var(--quiet); overflow-wrap: anywhere; }
    code { font: 12px/1.5 ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace; }
    .tiles { display: flex; flex-wrap: wrap; gap: 10px 36px; margin: 20px 0 12px; }
    dt { color: var(--quiet); font-size: 12px; }
    dd { margin: 0; font-size: 20px; font-weight: 600; font-variant-numeric: tabular-nums; }
    .fact dd { font-weight: 400; }
    .done dd { color: var(--done); } .failed dd { color: var(--failed); }
    .temporary dd { color: var(--temporary); }
    .bar { display: flex; height: 6px; border-radius: 3px; overflow: hidden; background: var(--line); }
    .bar i { min-width: 2px; background: var(--due); } .bar .done { background: var(--done); }
    .bar .failed { background: var(--failed); } .bar .temporary { background: var(--temporary); }
    table { border-collapse: collapse; margin: 18px 0 0; width: 100%; }
    th { text-align: left; font-weight: 400; font-size: 12px; color: var(--quiet);
      white-space: nowrap; }
    th, td { padding: 5px 18px 5px 0; vertical-align: top; border-bottom: 1px solid var(--line);
      overflow-wrap: anywhere; }
    td:nth-child(-n+2) { font-variant-numeric: tabular-nums; white-space: nowrap; }
    td:last-child { color: var(--quiet); }
    form { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: 6px;
      padding: 16px 0 12px; background: var(--paper); }
    form label span { display: block; padding: 5px 12px; border: 1px solid var(--line);
      border-radius: 6px; background: var(--card); cursor: pointer; }
    form b { margin-left: 4px; font-weight: 400; color: var(--quiet);
      font-variant-numeric: tabular-nums; }
    form input[type=radio] { position: absolute; opacity: 0; }
    form input:checked + span { border-color: var(--ink); background: var(--ink);
      color: var(--paper); }
    form input:checked + span b { color: inherit; opacity: .7; }
    form input:focus-visible + span { outline: 2px solid var(--quiet); outline-offset: 1px; }
    form input[type=search] { flex: 1 1 220px; padding: 5px 12px; font: inherit; color: inherit;
      border: 1px solid var(--line); border-radius: 6px; background: var(--card); }
    #grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(176px, 1fr)); gap: 12px;
      padding-bottom: 40px; }
    article { padding: 8px 8px 10px; border: 1px solid var(--line); border-radius: 8px;
      background: var(--card); content-visibility: auto; contain-intrinsic-size: auto 236px; }
    article[hidden] { display: none; }
    article img, .picture, .error { display: block; width: 100%; aspect-ratio: 4 / 3; height: auto;
      border-radius: 4px; background: var(--paper); object-fit: cover; }
    .picture { display: grid; place-items: center; color: var(--quiet); font-size: 12px; }
    .error { padding: 8px; overflow: auto; font-size: 12px; line-height: 1.4;
      overflow-wrap: anywhere; background: color-mix(in srgb, var(--failed) 11%, var(--card)); }
    .temporary .error { background: color-mix(in srgb, var(--temporary) 14%, var(--card)); }
    .error b { color: var(--failed); } .temporary .error b { color: var(--temporary); }
    h2 { margin: 8px 0 2px; font-size: 13px; font-weight: 600; line-height: 1.35;
      overflow-wrap: anywhere; }
    h2 small { display: block; font-size: 11px; font-weight: 400; color: var(--quiet); }
    article p { margin: 0; font-size: 12px; color: var(--quiet); font-variant-numeric: tabular-nums; }
    details { margin-top: 4px; font-size: 12px; }
    summary { color: var(--temporary); cursor: pointer; }
    ul { margin: 4px 0 0; padding-left: 16px; overflow-wrap: anywhere; }
    .more { grid-column: 1 / -1; }
    """

  static let script = """
    const form = document.getElementById("filter"), none = document.getElementById("none");
    const cards = [...document.querySelectorAll("article")].map(
      card => ({ card, text: card.textContent.toLowerCase() }));
    function show() {
      const state = form.state.value, words = form.text.value.toLowerCase().split(/\\s+/);
      let count = 0;
      for (const { card, text } of cards) {
        const fits = (state === "all" || card.classList.contains(state))
          && words.every(word => text.includes(word));
        card.hidden = !fits;
        count += fits;
      }
      none.hidden = count > 0 || cards.length === 0;
    }
    form.addEventListener("input", show);
    form.addEventListener("submit", event => event.preventDefault());
    show();
    """
}
