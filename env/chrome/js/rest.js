// What happens in a document, and when it has come to rest.
(fara => {
  if (fara.quiet) return;
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

  Object.assign(fara, {quiet, painted});
})(globalThis.fara ||= {});
