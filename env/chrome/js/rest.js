// What happens in a document, and when it has come to rest.
(fara => {
  if (fara.rest) return;
  const secret = '{{secret}}';
  const cosmetic = new Set(['style', 'class']); // spinners change these for ever
  const kind = () => ({count: 0, times: [], noisy: false}); // times: of the last 64 changes
  const content = kind(), style = kind();
  const noisyChanges = 3; // in the second before an action: the page does so by itself
  const note = k => {
    k.count++;
    k.times.push(performance.now());
    if (k.times.length > 64) k.times.shift();
  };
  const recent = k => { const now = performance.now(); return k.times.filter(t => now - t < 1000).length; };
  const watcher = new MutationObserver(records => {
    note(records.every(r => r.type === 'attributes' && cosmetic.has(r.attributeName)) ? style : content);
  });
  const kinds = {subtree: true, childList: true, characterData: true, attributes: true};
  watcher.observe(document, kinds);

  // A scroll that goes on ends with an event of its own.
  let scrolled = -1e9, scrolling = false, scrolls = false;
  addEventListener('scroll', () => { scrolled = performance.now(); scrolling = true; }, {capture: true, passive: true});
  addEventListener('scrollend', () => { scrolling = false; }, {capture: true, passive: true});

  // told asks the page's own world what it has set off; null when it does not
  // answer.
  const told = what => {
    let answer = null;
    const hear = e => { try { answer = JSON.parse(e.detail); } catch {} };
    document.addEventListener(secret + 'told', hear);
    document.dispatchEvent(new CustomEvent(secret + 'ask', {detail: what}));
    document.removeEventListener(secret + 'told', hear);
    return answer;
  };

  let breathless = false, always = false; // it has something to do all the time; already before the action

  // begin is called just before an action: what happens until then is the page's own.
  let before = new WeakSet();
  const moving = () => { try { return document.getAnimations(); } catch { return []; } };
  const begin = () => {
    for (const k of [content, style]) {
      k.noisy = recent(k) >= noisyChanges;
      k.count = 0;
    }
    scrolls = performance.now() - scrolled < 500;
    before = new WeakSet(moving());
    always = breathless;
    told('begin');
    return true;
  };
  addEventListener('pageshow', e => { if (e.persisted) for (const k of [content, style]) { k.count = 1; k.noisy = false; } }, true);

  // ending: an animation that began since and ends within a second.
  const ending = a => {
    if (before.has(a) || a.playState !== 'running' || !a.effect) return false;
    const left = (a.effect.getComputedTiming().endTime - (a.currentTime || 0)) / Math.abs(a.playbackRate || 1);
    return left > 0 && left <= 1000;
  };

  // rest: is the document parsed, how often has it changed since begin, for how
  // many ms not, what is under way that the action started, and what of it goes on
  // and on? what is "busy" while the page waits for the network, else "".
  const rest = what => {
    const own = told(what || 'rest'), now = performance.now();
    let changes = 0, last = -1e9;
    for (const k of [content, style]) {
      if (k.noisy) continue;
      changes += k.count;
      if (k.times.length) last = Math.max(last, k.times[k.times.length - 1]);
    }
    if (now - scrolled > 300) scrolling = false;
    return {
      loading: document.readyState === 'loading',
      changes: changes + (own && !content.noisy ? own.shadows : 0),
      quiet: Math.min(now - last, 1e6),
      pending: own ? own.pending : 0,
      going: own ? own.going : 0,
      moving: moving().filter(ending).length,
      scrolling: scrolling && !scrolls,
      asked: own ? own.asked : [],
      told: !!own,
    };
  };

  // drawn gives rest when what is there now has been drawn and the page has nothing
  // left to do, or after 250 ms in a tab that is not drawn.
  const drawn = what => new Promise(done => {
    const say = () => done({...rest(what), working: breathless && !always});
    requestAnimationFrame(() => requestIdleCallback(d => { breathless = d.didTimeout; say(); }, {timeout: 50}));
    setTimeout(say, 250);
  });

  // quiet: how often did the document change in the last second?
  const quiet = () => ({recent: recent(content)});

  Object.assign(fara, {begin, rest, drawn, quiet});
})(globalThis.fara ||= {});
