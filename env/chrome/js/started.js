// Runs in the page's own world before the page: keeps what an action has set off
// there and nothing announces, such as a timer. Our world asks for it by an event
// whose name only the two know. Everything is taken here at once, before the page
// can change it; nothing of it can be seen by the page but that its timers' numbers
// have gaps.
(secret => {
  const {apply, getOwnPropertyDescriptor, defineProperty} = Reflect;
  const view = window, doc = document, clock = performance, tick = clock.now, Told = CustomEvent, Text = String, Sheet = WeakMap;
  const {setTimeout: later, setInterval: often, clearTimeout: stop} = view;
  const listen = EventTarget.prototype.addEventListener, send = EventTarget.prototype.dispatchEvent;
  const sourceOf = Function.prototype.toString, slice = Text.prototype.slice, split = Text.prototype.split;
  const remember = Sheet.prototype.set, recall = Sheet.prototype.get, number = Number, json = JSON.stringify;
  const detail = getOwnPropertyDescriptor(Told.prototype, 'detail').get;
  const now = () => apply(tick, clock, []);
  const bare = fields => { fields.__proto__ = null; return fields; }; // the page cannot reach into it through Object.prototype

  const lately = 5000, slack = 300; // ms
  const byInput = 1500, byHover = 600, byItself = 1000, restless = 1000, rounds = 3;
  const frames = 40; // ms between the steps of a movement, at most

  let mark = 0;        // when the action began; everything is later than that in a new document
  let base = 0;        // until when what the page set off by itself may count from
  let cause = 0;       // how many ms a timer set now may take to count as the action's; 0: it is not the action's
  let pending = bare({}), pulses = bare({}), known = 0, asked = '', shadows = 0, serial = 0;

  // pulse counts how often something is set: a, b and c are the last three times. It
  // is old when it was going on just before the action: it is the page's own then.
  const pulse = (key, delay) => {
    let p = pulses[key];
    if (!p) {
      if (++known > 500) { pulses = bare({}); known = 1; }
      p = pulses[key] = bare({a: -1e9, b: -1e9, c: -1e9, delay, old: false, n: 0, first: 0});
    }
    const t = now();
    p.a = p.b; p.b = p.c; p.c = t;
    if (!p.n++) p.first = t;
    return p;
  };
  const begin = () => {
    const t = now();
    for (const key in pulses) {
      const p = pulses[key];
      if (t - p.c > lately) { delete pulses[key]; known--; continue; }
      p.old = t - p.a < lately && t - p.c < p.delay + slack;
      p.n = 0;
    }
    mark = base = t; cause = 0; asked = ''; pending = bare({}); shadows = 0;
  };
  const keyOf = (f, delay) => {
    try {
      const text = typeof f === 'string' ? f : apply(sourceOf, f, []);
      return delay + ' ' + text.length + ' ' + apply(slice, text, [0, 100]);
    } catch { return delay + ''; }
  };
  const start = () => base || now();

  // during has what runs between two tasks of ours count as the action's.
  const enter = c => { cause = c; };
  const leave = () => { cause = 0; };
  const input = c => { if (cause < c) { cause = c; apply(later, view, [leave, 0]); } };

  // counts: is what is set now waited for?
  const counts = (p, delay) => {
    if (cause && delay <= cause) return p.n <= rounds || now() - p.first < restless;
    if (p.old || p.n > rounds) return false;
    return now() + delay <= start() + byItself;
  };

  const wrap = (owner, name, call) => {
    try {
      const d = getOwnPropertyDescriptor(owner, name);
      if (d && typeof d.value === 'function') {
        d.__proto__ = null;
        d.value = new Proxy(d.value, bare({apply: call}));
        defineProperty(owner, name, d);
      }
    } catch {}
  };

  // A timer of the page lies between two of ours with its delay, which run just
  // before and after it.
  const timing = (f, self, args, repeats) => {
    const given = args.length > 1 ? args[1] : 0;
    const wanted = typeof given === 'string' ? number(given) : given, delay = typeof wanted === 'number' && wanted > 0 ? wanted : 0;
    const p = pulse((repeats ? 'i' : 't') + keyOf(args[0], delay), delay);
    if (!counts(p, delay)) return apply(f, self, args);
    const c = cause, set = repeats ? often : later;
    let id = 0, n = 0;
    const before = apply(set, view, [() => enter(c), delay]);
    try { id = apply(f, self, args); } finally { if (!id) apply(stop, view, [before]); }
    if (!id) return id;
    const mine = pending;
    const after = apply(set, view, [() => {
      leave();
      if (!repeats || ++n >= rounds && (delay > frames || now() - p.c > restless)) {
        delete mine[id];
        if (repeats) { apply(stop, view, [before]); apply(stop, view, [after]); }
      } else if (n >= rounds && mine[id]) {
        mine[id].goes = true; // it draws a movement, as it seems
      }
    }, delay]);
    mine[id] = bare({before, after, goes: p.n > rounds});
    return id;
  };
  const clearing = (f, self, args) => {
    const id = args.length ? args[0] : 0, t = typeof id === 'number' ? pending[id] : null;
    if (t && t.before) {
      delete pending[id];
      apply(stop, view, [t.before]);
      apply(stop, view, [t.after]);
    }
    return apply(f, self, args);
  };
  wrap(view, 'setTimeout', (f, self, args) => timing(f, self, args, false));
  wrap(view, 'setInterval', (f, self, args) => timing(f, self, args, true));
  wrap(view, 'clearTimeout', clearing);
  wrap(view, 'clearInterval', clearing);

  // Callbacks before a frame and in idle time lie between two of ours likewise.
  const between = (set, prefix, cancel) => {
    wrap(view, set, (f, self, args) => {
      const p = pulse(prefix + keyOf(args[0], 0), 0);
      // Input comes just before a frame, so being in its time alone says little here.
      const fresh = !p.old && (cause || now() < start() + byItself) && now() - p.first < restless;
      if (!fresh || typeof args[0] !== 'function') return apply(f, self, args);
      const c = cause, mine = pending;
      apply(f, view, [() => enter(c)]);
      const id = apply(f, self, args);
      const named = prefix + ' ' + id;
      apply(f, view, [() => { leave(); delete mine[named]; }]);
      mine[named] = bare({goes: true});
      return id;
    });
    wrap(view, cancel, (f, self, args) => {
      if (typeof args[0] === 'number') delete pending[prefix + ' ' + args[0]];
      return apply(f, self, args);
    });
  };
  between('requestAnimationFrame', 'f', 'cancelAnimationFrame');
  between('requestIdleCallback', 'd', 'cancelIdleCallback');

  // Requests of the action are named, since the same address may also be asked
  // again and again by the page itself.
  const noteRequest = url => {
    if (!cause || asked.length > 4000) return;
    try {
      const a = apply(createElement, doc, ['a']);
      apply(hrefOf.set, a, [url]);
      asked += (asked && ',') + apply(json, null, [apply(split, apply(hrefOf.get, a, []), ['#'])[0]]);
    } catch {}
  };
  const createElement = Document.prototype.createElement, hrefOf = getOwnPropertyDescriptor(HTMLAnchorElement.prototype, 'href');
  const requestUrl = getOwnPropertyDescriptor(Request.prototype, 'url').get, urlHref = getOwnPropertyDescriptor(URL.prototype, 'href').get;
  const addressOf = what => {
    if (typeof what === 'string') return what;
    for (const get of [requestUrl, urlHref]) try { return apply(get, what, []); } catch {}
    return '';
  };
  const opened = new Sheet();
  wrap(view, 'fetch', (f, self, args) => { if (cause && args.length) noteRequest(addressOf(args[0])); return apply(f, self, args); });
  wrap(XMLHttpRequest.prototype, 'open', (f, self, args) => {
    const out = apply(f, self, args);
    apply(remember, opened, [self, addressOf(args[1])]);
    return out;
  });
  wrap(XMLHttpRequest.prototype, 'send', (f, self, args) => {
    const url = cause && apply(recall, opened, [self]);
    if (url) noteRequest(url);
    return apply(f, self, args);
  });

  // A message to a worker is waited for until the worker answers, unless it is one
  // that does not.
  const workers = new Sheet();
  if (view.Worker) wrap(Worker.prototype, 'postMessage', (f, self, args) => {
    const out = apply(f, self, args);
    let w = apply(recall, workers, [self]);
    if (!w) {
      w = bare({name: 'w ' + ++serial, mute: false, cause: 0});
      apply(remember, workers, [self, w]);
      apply(listen, self, ['message', () => { delete pending[w.name]; w.mute = false; if (w.cause) input(w.cause); }]);
    }
    const p = pulse(w.name, 0);
    if (!w.mute && (cause || !p.old && now() < start() + byItself)) {
      const mine = pending;
      w.cause = cause;
      mine[w.name] = bare({});
      apply(later, view, [() => { if (mine[w.name]) { w.mute = true; delete mine[w.name]; } }, restless]);
    }
    return out;
  });

  // Shadow roots, closed ones too, are watched here, where they are made.
  const Observer = MutationObserver, observe = Observer.prototype.observe;
  const watcher = new Observer(() => { shadows++; });
  const kinds = bare({subtree: true, childList: true, characterData: true, attributes: true});
  wrap(Element.prototype, 'attachShadow', (f, self, args) => {
    const root = apply(f, self, args);
    try { apply(observe, watcher, [root, kinds]); } catch {}
    return root;
  });

  // What a person does is noticed before the page notices it.
  const passive = bare({capture: true, passive: true});
  const hear = (names, c) => {
    for (const name of apply(split, names, [' '])) apply(listen, view, [name, e => { if (e.isTrusted) input(c); }, passive]);
  };
  hear('pointerdown pointerup mousedown mouseup click dblclick auxclick contextmenu keydown keypress keyup beforeinput input change ' +
    'wheel dragstart dragenter drop dragend copy cut paste submit compositionend touchstart touchend toggle popstate hashchange', byInput);
  hear('mouseover pointerover mousemove pointermove scroll scrollend focusin', byHover);
  const arrived = e => { if (e.type === 'load' || e.persisted) base = now(); };
  apply(listen, view, ['load', arrived, true]);
  apply(listen, view, ['pageshow', arrived, true]);

  apply(listen, doc, [secret + 'ask', e => {
    const what = apply(detail, e, []);
    if (what === 'begin') { begin(); return; }
    if (what === 'busy') base = now();
    let n = 0, going = 0;
    for (const id in pending) if (pending[id].goes) going++; else n++;
    apply(send, doc, [new Told(secret + 'told', bare({detail: '{"pending":' + n + ',"going":' + going + ',"shadows":' + shadows + ',"asked":[' + asked + ']}'}))]);
  }]);
})('{{secret}}');
