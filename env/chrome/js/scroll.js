// Whether the wheel moved anything in this document.
(fara => {
  if (fara.watchScroll) return;
  const {under, up, box} = fara;

  // What can be scrolled is followed from before the wheel to after it, and where
  // the things around the point are: pages that move them themselves do not scroll.
  let watch = null;
  const watchScroll = (x, y) => {
    if (watch) watch.stop();
    const el = under(x, y), chain = [];
    for (let n = el; n; n = up(n)) chain.push(n);
    if (document.scrollingElement && !chain.includes(document.scrollingElement)) chain.push(document.scrollingElement);
    const place = n => { const r = box(n); return [r.x, r.y, r.width, r.height].join(); };
    const state = {
      wheels: [], changes: 0, noisy: fara.quiet && fara.quiet().recent > 0,
      opaque: !!el && /^(I?FRAME|EMBED|OBJECT|CANVAS|VIDEO)$/.test(el.tagName),
      at: chain.map(n => [n, n.scrollLeft, n.scrollTop, n === document.scrollingElement ? '' : place(n)]),
    };
    const listen = e => { state.wheels.push(e); };
    addEventListener('wheel', listen, {passive: true, capture: true});
    const observer = new MutationObserver(records => { state.changes += records.length; });
    observer.observe(document, {subtree: true, childList: true, characterData: true, attributes: true});
    state.stop = () => { removeEventListener('wheel', listen, {capture: true}); observer.disconnect(); };
    state.place = place;
    watch = state;
    return true;
  };

  const drawn = () => new Promise(done => {
    requestAnimationFrame(() => requestAnimationFrame(done));
    setTimeout(done, 100);
  });

  // scrollMoved tells how far the wheel moved what is there, and how much is left
  // to each side of what moved. It is known unless the page may have handled the
  // wheel itself.
  const scrollMoved = async () => {
    if (!watch) return {known: false};
    const w = watch;
    watch = null;
    const still = () => w.at.every(([n, l, t]) => n.scrollLeft === l && n.scrollTop === t);
    // A frame in a process of its own hears of its scrolling a little later.
    const unheard = () => !w.wheels.length && !w.changes && !w.opaque;
    for (let i = 0; still() && (i < 2 || (i < 10 && unheard())); i++) await drawn();
    w.stop();
    const out = {known: false, x: 0, y: 0, left: 0, right: 0, up: 0, down: 0, any: false};
    for (const [n, l, t] of w.at) {
      const x = n.scrollLeft - l, y = n.scrollTop - t;
      if (!x && !y) continue;
      if (Math.abs(x) > Math.abs(out.x)) out.x = x;
      if (Math.abs(y) > Math.abs(out.y)) out.y = y;
      out.any = true;
      out.left += Math.max(0, n.scrollLeft);
      out.up += Math.max(0, n.scrollTop);
      out.right += Math.max(0, n.scrollWidth - n.clientWidth - n.scrollLeft);
      out.down += Math.max(0, n.scrollHeight - n.clientHeight - n.scrollTop);
    }
    const taken = w.wheels.some(e => e.defaultPrevented) || (w.changes > 0 && !w.noisy) ||
      w.at.some(([n, , , was]) => was && (!n.isConnected || w.place(n) !== was));
    out.known = out.any || (w.wheels.length > 0 && !taken && !w.opaque);
    return out;
  };

  Object.assign(fara, {watchScroll, scrollMoved});
})(globalThis.fara ||= {});
