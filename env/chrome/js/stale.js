// What could be clicked where when the last picture was taken, and whether it is
// still there.
(fara => {
  if (fara.remember) return;
  const {under, up, holds, inside, acts, role, words, box, control, name} = fara;
  const most = 2000;
  let seen = null;

  // brief is a cheap name, good for telling one thing from another.
  const brief = el => {
    const text = el.getAttribute('aria-label') || el.textContent.slice(0, 200).trim() || el.getAttribute('alt') ||
      el.getAttribute('placeholder') || el.getAttribute('title') || (el.tagName === 'INPUT' && (el.name || el.type)) || '';
    return text.length < 40 && !/\s\s|[\n\t]/.test(text) ? text : words(text);
  };

  // each goes through what can be operated, in open shadow roots too.
  const each = (root, take) => {
    for (const el of root.querySelectorAll(acts + ',iframe,frame')) if (!take(el)) return;
    let looks = 20000;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let el = walker.nextNode(); el && looks > 0; el = walker.nextNode(), looks--) if (el.shadowRoot) each(el.shadowRoot, take);
  };

  const address = () => location.href.replace(/#.*/, '');

  // remember writes down the boxes of what is visible. What lies under something
  // else is left out as long as finding that out is quick: on some pages it takes
  // a tenth of a millisecond for each thing.
  const hurry = 2; // ms
  const remember = () => {
    const things = [], began = performance.now();
    let quick = true;
    each(document, el => {
      const b = box(el);
      const l = Math.max(b.left, 0), t = Math.max(b.top, 0), r = Math.min(b.right, innerWidth), d = Math.min(b.bottom, innerHeight);
      if (r - l < 1 || d - t < 1) return true;
      const top = quick && under((l + r) / 2, (t + d) / 2);
      quick = quick && performance.now() - began < hurry;
      if (!top || holds(el, top) || holds(top, el))
        things.push({el: new WeakRef(el), l: b.left, t: b.top, r: b.right, b: b.bottom, tag: el.tagName, role: role(el), name: brief(el)});
      return things.length < most;
    });
    seen = things;
    return {address: address(), frames: things.some(e => /^I?FRAME$/.test(e.tag))};
  };

  const within = (e, x, y) => x >= e.l && x < e.r && y >= e.t && y < e.b;
  const area = e => (e.r - e.l) * (e.b - e.t);
  const around = (outer, e) => outer.l <= e.l && outer.t <= e.t && outer.r >= e.r && outer.b >= e.b && area(outer) > area(e);
  const shown = el => el && el.isConnected && el.getClientRects().length > 0;
  const told = (e, el) => {
    const n = el && el.isConnected ? name(el) : e.name;
    return {tag: e.tag.toLowerCase(), role: e.role, name: [...n].slice(0, 80).join('')};
  };
  const tell = el => ({tag: el.tagName.toLowerCase(), role: role(el), name: [...name(el)].slice(0, 80).join('')});

  // moved compares what is at (x, y) with what was at (tx, ty) in the picture. It
  // gives {was, now} when another thing is there now; dx and dy are how far the
  // frame that is still there has moved.
  const moved = (x, y, tx, ty) => {
    if (!seen) return {unseen: address()};
    const raw = under(x, y);
    if (!raw) return {};
    const here = control(raw);
    const all = seen.filter(e => within(e, tx, ty));
    const then = all.filter(e => !all.some(o => o !== e && around(e, o)));
    const still = e => { const el = e.el.deref(); return shown(el) && within({l: box(el).left, t: box(el).top, r: box(el).right, b: box(el).bottom}, x, y); };
    for (const e of then) {
      const el = e.el.deref();
      if (el && (holds(el, raw) || here && holds(here, el))) return {dx: box(el).left - e.l, dy: box(el).top - e.t};
      if (!shown(el) && here && here.tagName === e.tag && role(here) === e.role && brief(here) === e.name) return {};
    }
    const from = here && seen.find(e => e.el.deref() === here);
    if (then.length === 0) return from && !within(from, tx, ty) ? {was: null, now: tell(here)} : {};
    if (!here && then.some(still)) return {}; // something that takes no clicks lies over it
    if (here && from && within(from, tx, ty)) return {}; // it was there, behind something smaller
    return {was: told(then[0], then[0].el.deref()), now: here ? tell(here) : null};
  };

  Object.assign(fara, {remember, moved});
})(globalThis.fara ||= {});
