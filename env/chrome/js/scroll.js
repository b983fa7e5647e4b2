// Whether the wheel moved anything.
(fara => {
  if (fara.watchScroll) return;
  const {at, up, inside} = fara;

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

  Object.assign(fara, {watchScroll, scrollMoved});
})(globalThis.fara ||= {});
