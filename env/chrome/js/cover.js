// Layers over the page, and whether a click into one changed anything.
(fara => {
  if (fara.cover) return;
  const {up, holds, words, role} = fara;

  const dialog = el => (el.tagName === 'DIALOG' && el.open) || /^(alert)?dialog$/.test(el.getAttribute('role') || '') ||
    el.getAttribute('aria-modal') === 'true';
  const covering = el => { // does the page go on under it?
    const b = el.getBoundingClientRect();
    if (!b.width || !b.height) return false;
    if (b.width * b.height < 0.9 * innerWidth * innerHeight) return true;
    const under = ([x, y]) => document.elementsFromPoint(x, y).some(n => !holds(el, n) && !holds(n, el) && !/^(HTML|BODY)$/.test(n.tagName));
    return under(fara.point) || under([b.x + b.width / 2, b.y + b.height / 2]);
  };
  const title = el => {
    const root = el.getRootNode();
    const byId = (el.getAttribute('aria-labelledby') || '').split(/\s+/).filter(Boolean)
      .map(id => { const n = root.getElementById(id); return n ? n.textContent : ''; }).join(' ');
    const head = el.querySelector('h1,h2,h3,h4,h5,h6,[role=heading],legend');
    return [byId, el.getAttribute('aria-label'), head && head.textContent, el.innerText, el.getAttribute('title')].map(words).find(Boolean) || '';
  };

  // cover finds the dialog, or else the fixed or sticky layer, that el belongs to.
  // What takes text or draws itself changes in ways that cannot be seen here.
  const mute = /^(TEXTAREA|SELECT|OPTION|CANVAS|VIDEO|AUDIO)$/;
  const layer = el => {
    let fixed = null;
    for (let n = el; n; n = up(n)) {
      if (dialog(n)) return n;
      if (/^(fixed|sticky)$/.test(getComputedStyle(n).position)) fixed = n;
    }
    return fixed && covering(fixed) ? fixed : null;
  };
  const cover = el => {
    const l = layer(el);
    if (!l) return null;
    const editing = mute.test(el.tagName) || el.isContentEditable || (el.tagName === 'INPUT' && !/^(button|submit|reset|image)$/.test(el.type));
    return {kind: dialog(l) ? 'dialog' : 'layer', name: [...title(l)].slice(0, 80).join(''), mute: editing};
  };

  // watchClick follows the document from before a click to after it.
  let watch = null;
  const focused = () => { let n = document.activeElement; while (n && n.shadowRoot && n.shadowRoot.activeElement) n = n.shadowRoot.activeElement; return n; };
  const watchClick = () => {
    if (watch) watch.stop();
    const el = fara.found, l = el && layer(el);
    const noisy = !!fara.quiet && fara.quiet().recent > 0;
    const state = {changed: false, focus: focused(), address: location.href};
    const observer = new MutationObserver(records => {
      if (records.some(r => !noisy || (l && (holds(l, r.target) || r.target.contains(l) && r.type !== 'childList')))) state.changed = true;
      if (l && !l.isConnected) state.changed = true;
    });
    const roots = new Set([document]);
    for (let n = el; n; n = up(n)) roots.add(n.getRootNode());
    for (const r of roots) observer.observe(r, {subtree: true, childList: true, characterData: true, attributes: true});
    const happened = () => { state.changed = true; };
    const kinds = ['scroll', 'input', 'change', 'toggle', 'play', 'pause', 'submit', 'pagehide'];
    for (const k of kinds) addEventListener(k, happened, true);
    state.stop = () => { observer.disconnect(); for (const k of kinds) removeEventListener(k, happened, true); };
    watch = state;
    return true;
  };
  // clickChanged says whether anything changed since; a new document has.
  const clickChanged = () => {
    if (!watch) return true;
    const w = watch;
    watch = null;
    w.stop();
    const f = focused();
    const taken = f !== w.focus && f !== document.body && !(f && /^I?FRAME$/.test(f.tagName)); // a frame tells for itself
    return w.changed || taken || location.href !== w.address;
  };

  Object.assign(fara, {cover, watchClick, clickChanged});
})(globalThis.fara ||= {});
