// Runs in our world: hands on what report.js tells, and keeps documents from
// calling other programs, for which the browser would ask in a window that nobody
// can see or answer and that takes all input. The function that hands on is given
// to each document a moment after its start, so first words may wait.
(secret => {
  const waiting = [];
  let tries = 0;
  const hand = () => {
    if (typeof faraTell === 'function') waiting.splice(0).forEach(what => faraTell(what));
    else if (tries++ < 100) setTimeout(hand, 30);
  };
  const tell = what => {
    if (waiting.length > 50) return;
    waiting.push(what);
    hand();
  };
  addEventListener(secret, e => { if (typeof e.detail === 'string') tell(e.detail); });

  const opened = /^(https?|file|data|blob|about|javascript|filesystem|view-source|chrome(-\w+)?|devtools):/i;
  const stop = (e, address) => {
    if (!e.cancelable || opened.test(address)) return;
    e.preventDefault();
    tell('program ' + address.slice(0, 500));
  };
  if (globalThis.navigation) navigation.addEventListener('navigate', e => stop(e, e.destination.url));
  // Links to these do nothing and nobody is told why: no page may lead there.
  const barred = /^(file|filesystem|view-source|chrome(-\w+)?|devtools):/i;
  addEventListener('click', e => {
    const link = e.composedPath().find(n => n.localName === 'a' && n.href);
    if (!link || e.defaultPrevented) return;
    const written = typeof link.href === 'string' ? link.href : link.href.baseVal; // of a link in an SVG image
    let address;
    try { address = new URL(written, document.baseURI).href; } catch { return; }
    if (barred.test(address) && !barred.test(location.href)) {
      if (e.isTrusted) tell('barred ' + address.slice(0, 500));
    } else if (link.getAttribute('target')) stop(e, address); // a new tab is no navigation of this one
  });
})('{{secret}}');
