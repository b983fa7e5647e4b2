// Runs in every document in a world of its own. The page cannot see it; it sees
// the page's elements, those of same-origin frames and of open shadow roots.
var fara = globalThis.fara || (() => {
  const changes = []; // times of the last 64 changes of the document
  const cosmetic = new Set(['style', 'class']); // spinners change these for ever
  new MutationObserver(records => {
    if (records.every(r => r.type === 'attributes' && cosmetic.has(r.attributeName))) return;
    changes.push(performance.now());
    if (changes.length > 64) changes.shift();
  }).observe(document, {subtree: true, childList: true, characterData: true, attributes: true});
  let scrolled = -1e9;
  addEventListener('scroll', () => { scrolled = performance.now(); }, true);

  // quiet: is the document parsed, for how many ms has it not changed, and how
  // often did it change in the last second?
  const quiet = () => {
    const now = performance.now();
    const last = Math.max(scrolled, changes.length ? changes[changes.length - 1] : -1e9);
    return {
      loading: document.readyState === 'loading',
      quiet: Math.min(now - last, 1e6),
      recent: changes.filter(t => now - t < 1000).length,
    };
  };

  // painted resolves when what is there now has been drawn, or after 250 ms in a
  // tab that is not drawn.
  const painted = () => new Promise(done => {
    requestAnimationFrame(() => requestAnimationFrame(() => done(true)));
    setTimeout(() => done(false), 250);
  });

  const inside = frame => { try { return frame.contentDocument; } catch { return null; } };

  // at finds the innermost element under a point: through shadow roots and
  // frames. It gives the element, the offset of its document, and the frames
  // passed on the way.
  const at = (x, y) => {
    let root = document, dx = 0, dy = 0;
    const frames = [];
    for (;;) {
      const el = root.elementFromPoint(x - dx, y - dy);
      if (!el) return {el: null, dx, dy, frames};
      if (el.shadowRoot && el.shadowRoot !== root && el.shadowRoot.elementFromPoint(x - dx, y - dy)) {
        if (el.shadowRoot.elementFromPoint(x - dx, y - dy) === el) return {el, dx, dy, frames};
        root = el.shadowRoot;
        continue;
      }
      const doc = /^I?FRAME$/.test(el.tagName) ? inside(el) : null;
      if (!doc) return {el, dx, dy, frames};
      const box = el.getBoundingClientRect();
      dx += box.left + el.clientLeft;
      dy += box.top + el.clientTop;
      frames.push(el);
      root = doc;
    }
  };

  // up goes to the parent, out of shadow roots too.
  const up = el => el.parentElement || (el.getRootNode() instanceof ShadowRoot || el.getRootNode().host ? el.getRootNode().host : null);

  const acts = 'a[href],button,input,select,textarea,label,summary,option,[role],[onclick],[contenteditable=""],[contenteditable=true]';
  const roles = {
    A: 'link', BUTTON: 'button', SELECT: 'combobox', TEXTAREA: 'textbox', SUMMARY: 'button', OPTION: 'option',
    IMG: 'image', IFRAME: 'frame', LABEL: 'label', NAV: 'navigation', DIALOG: 'dialog',
    H1: 'heading', H2: 'heading', H3: 'heading', H4: 'heading', H5: 'heading', H6: 'heading',
  };
  const inputs = {
    button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio',
    range: 'slider', number: 'spinbutton', search: 'searchbox', file: 'file field', color: 'colour field',
    date: 'date field', time: 'time field', 'datetime-local': 'date field', month: 'date field', week: 'date field',
  };
  const role = el => el.getAttribute('role') || (el.tagName === 'INPUT' ? inputs[el.type] || 'textbox' : roles[el.tagName] || '');

  const words = text => (text || '').replace(/\s+/g, ' ').trim();
  const name = el => {
    const byId = (el.getAttribute('aria-labelledby') || '').split(/\s+/).filter(Boolean)
      .map(id => { const n = el.getRootNode().getElementById(id); return n ? n.textContent : ''; }).join(' ');
    const labels = el.labels ? [...el.labels].map(l => l.textContent).join(' ') : '';
    const pressed = el.tagName === 'INPUT' && /^(button|submit|reset)$/.test(el.type) ? el.value || el.type : '';
    const field = /^(INPUT|TEXTAREA|SELECT|IFRAME|HTML|BODY)$/.test(el.tagName);
    const img = el.querySelector('img[alt],svg title');
    return [byId, el.getAttribute('aria-label'), labels, pressed, el.getAttribute('alt'), el.getAttribute('placeholder'),
      field ? '' : (el.innerText || el.textContent || '').slice(0, 400), img ? img.getAttribute('alt') || img.textContent : '',
      el.getAttribute('title'), field ? el.getAttribute('name') : ''].map(words).find(Boolean) || '';
  };

  // hit describes what is under a point: the control that would take a click
  // there, or the element itself when there is none near.
  const hit = (x, y) => {
    const found = at(x, y);
    if (!found.el) return null;
    let el = found.el;
    for (let n = el, i = 0; n && i < 6; n = up(n), i++) if (n.matches(acts)) { el = n; break; }
    const box = el.getBoundingClientRect();
    return {
      tag: el.tagName.toLowerCase(), role: role(el), name: [...name(el)].slice(0, 80).join(''),
      box: {x: box.left + found.dx, y: box.top + found.dy, w: box.width, h: box.height},
    };
  };

  const focused = () => {
    let el = document.activeElement;
    for (;;) {
      if (!el) return null;
      const inner = el.shadowRoot ? el.shadowRoot.activeElement : /^I?FRAME$/.test(el.tagName) ? (inside(el) || {}).activeElement : null;
      if (!inner) return el;
      el = inner;
    }
  };
  const untyped = /^(button|submit|reset|image|checkbox|radio|range|file|color|hidden)$/;
  const kind = el => {
    if (!el) return 'none';
    if (/^I?FRAME$/.test(el.tagName)) return inside(el) ? (inside(el).designMode === 'on' ? 'text' : 'none') : 'foreign';
    if (el.tagName === 'INPUT' && untyped.test(el.type)) return 'other';
    if (el.tagName === 'INPUT' || el.tagName === 'TEXTAREA') return el.disabled ? 'none' : el.readOnly ? 'readonly' : 'text';
    if (el.isContentEditable || el.ownerDocument.designMode === 'on') return 'text';
    if (el.tagName === 'SELECT' || el.tagName === 'CANVAS' || el.getAttribute('role') === 'textbox') return 'other';
    return el === el.ownerDocument.body || el === el.ownerDocument.documentElement ? 'none' : 'other';
  };

  // focus tells what takes the keys: "text", "readonly", "foreign" (a frame of
  // another site), "other" (a control), "none"; and how much text is in it.
  const focus = () => {
    const el = focused(), k = kind(el);
    const text = k !== 'text' ? '' : 'value' in el ? el.value : el.innerText.replace(/\n$/, '');
    return {kind: k, length: text.length, name: el && k !== 'none' ? [...name(el)].slice(0, 80).join('') : ''};
  };

  // selectAll selects everything in what has the focus and reports how much.
  const selectAll = () => {
    const el = focused();
    if (kind(el) !== 'text') return focus();
    if (el.select) el.select();
    else el.ownerDocument.getSelection().selectAllChildren(el === el.ownerDocument.documentElement ? el.ownerDocument.body : el);
    return focus();
  };

  // A scroll is watched from before it to after it: whether anything on the way
  // from the point to the window moved, or somebody handled the wheel.
  let watch = null;
  const watchScroll = (x, y) => {
    const found = at(x, y), chain = [];
    const add = el => { for (let n = el; n; n = up(n)) chain.push(n); };
    if (found.el) add(found.el);
    for (const f of found.frames) { const s = inside(f); if (s) chain.push(s.scrollingElement || s.documentElement); add(f); }
    if (document.scrollingElement) chain.push(document.scrollingElement);
    const state = {taken: false, foreign: !!found.el && /^I?FRAME$|^EMBED$|^OBJECT$/.test(found.el.tagName)};
    state.at = chain.map(n => [n, n.scrollLeft, n.scrollTop]);
    const views = [window, ...found.frames.map(f => f.contentWindow)];
    const listen = e => { if (e.defaultPrevented) state.taken = true; };
    for (const v of views) v.addEventListener('wheel', listen, {passive: true});
    state.stop = () => { for (const v of views) v.removeEventListener('wheel', listen); };
    watch = state;
    return true;
  };
  const scrollMoved = () => {
    if (!watch) return {known: false};
    watch.stop();
    const moved = watch.at.some(([n, l, t]) => n.scrollLeft !== l || n.scrollTop !== t);
    const out = {known: !watch.foreign && !watch.taken, moved};
    watch = null;
    return out;
  };

  return {quiet, painted, hit, focus, selectAll, watchScroll, scrollMoved};
})();
