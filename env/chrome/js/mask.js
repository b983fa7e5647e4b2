// Finds where a document shows values that no picture may show. Nothing of the page
// is changed for it.
(fara => {
  if (fara.mask) return;
  const {getter, tagOf, box, innerOf, unopened} = fara;
  const slotOf = getter(Element, 'assignedSlot'), textSlotOf = getter(Text, 'assignedSlot');
  const parentOf = getter(Node, 'parentNode'), contentOf = getter(Node, 'textContent');
  const shown = el => Element.prototype.checkVisibility.call(el);
  const walkerOf = root => Document.prototype.createTreeWalker.call(document, root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  const most = 4000; // boxes of one document; then all of it counts as one

  // plain is text as it is compared: what can be split, spaced and written in another
  // case is still the same.
  const between = /[\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0]+/g;
  const plain = text => text.normalize('NFKD').toLowerCase().replace(/ς/g, 'σ').replace(between, '');

  // Fields that a secret was typed into. While one is being typed every field that
  // text goes into is one: some pages go on to the next field by themselves.
  let secrets = [], typing = false;
  const secret = el => {
    if (!el || secrets.some(ref => ref.deref() === el)) return;
    if (/^(html|body)$/.test(tagOf(el)) && !el.isContentEditable && document.designMode !== 'on') return;
    secrets = secrets.filter(ref => ref.deref());
    secrets.push(new WeakRef(el));
  };
  addEventListener('input', e => { if (typing) secret(e.composedPath()[0]); }, true);
  const secretly = on => {
    if (/^(i?frame|object|embed)$/.test(fara.current ? tagOf(fara.current) : '')) return ''; // the keys go elsewhere
    typing = on;
    secret(fara.current);
    return fara.address();
  };
  const filled = el => 'value' in el ? el.value !== '' : contentOf(el).trim() !== '';

  // written is what an element shows that is no text in the tree; null when that is
  // nothing.
  const silent = /^(hidden|checkbox|radio|range|color)$/;
  const label = o => o.getAttribute('label') || contentOf(o);
  const written = el => {
    switch (tagOf(el)) {
      case 'input':
        if (silent.test(el.type)) return null;
        if (el.type === 'file') return [...el.files].map(f => f.name).join(' ');
        if (el.type === 'image') return el.alt;
        return el.value || el.placeholder;
      case 'textarea': return el.value || el.placeholder;
      case 'select': return [...el.selectedOptions].map(label).join(' ');
      case 'option': return label(el);
      case 'optgroup': return el.label;
      case 'img': return el.naturalWidth ? null : el.alt;
      case 'use': return copied(el);
      case 'meter': case 'progress': return null;
    }
    return null;
  };
  const copied = el => {
    const id = (el.href && el.href.baseVal || '').replace(/^[^#]*#/, '');
    const original = id && Node.prototype.getRootNode.call(el).getElementById(id);
    return original ? contentOf(original) : null;
  };

  // collect gives all that is written in the document in its order, and the roots of
  // its trees.
  const collect = () => {
    const all = [], roots = [];
    const enter = root => {
      roots.push(root);
      let parent = null, seen = false;
      const walker = walkerOf(root);
      for (let n = walker.nextNode(); n; n = walker.nextNode()) {
        if (n.nodeType === Node.TEXT_NODE) {
          const at = parentOf(n);
          if (at !== parent) {
            parent = at;
            const el = at instanceof Element ? at : at.host || null;
            seen = !el || tagOf(el) !== 'textarea' && shown(el);
          }
          if (seen) all.push({node: n, text: n.data, whole: false});
          continue;
        }
        const text = written(n);
        if (text) all.push({node: n, text, whole: true});
        const inner = innerOf(n);
        if (inner) enter(inner);
      }
    };
    enter(document);
    return {all, roots};
  };

  // rawAt is where in a text the k-th character of its plain form comes from.
  const rawAt = (text, k) => {
    let at = 0;
    for (const c of text) {
      k -= plain(c).length;
      if (k < 0) return at;
      at += c.length;
    }
    return at;
  };
  const nextOf = (text, at) => at + (text.codePointAt(at) > 0xffff ? 2 : 1);

  // spans are where values stand in the joined text, those that overlap as one.
  const spans = (text, values) => {
    const found = [];
    for (const v of values) for (let i = text.indexOf(v); i >= 0; i = text.indexOf(v, i + 1)) found.push([i, i + v.length]);
    found.sort((a, b) => a[0] - b[0]);
    const out = [];
    for (const s of found) {
      const last = out[out.length - 1];
      if (last && s[0] <= last[1]) last[1] = Math.max(last[1], s[1]); else out.push(s);
    }
    return out;
  };

  // outer is the element around one as it is drawn; null when a closed tree hides it.
  const outer = n => {
    const slot = n instanceof Element ? slotOf(n) : textSlotOf(n);
    const parent = slot || parentOf(n);
    if (!slot && parent instanceof Element && innerOf(parent)) return null;
    return parent instanceof Element ? parent : parent && parent.host || null;
  };

  // seenIn is what can be seen of something by what is around it. Where that is not
  // certain it is more.
  const scrolls = /hidden|auto|scroll/, boxed = /^(block|inline-block|flex|inline-flex|grid|inline-grid|flow-root|list-item|table-cell)$/;
  const seenIn = node => {
    let l = 0, t = 0, r = innerWidth, b = innerHeight, free = false; // free: only a positioned box holds it
    for (let n = node instanceof Element ? node : outer(node); n && !/^(html|body)$/.test(tagOf(n)); n = outer(n)) {
      const style = getComputedStyle(n);
      if (style.display === 'contents') continue;
      if (!free || style.position !== 'static') {
        free = false;
        if (boxed.test(style.display) && scrolls.test(style.overflowX)) {
          const c = box(n);
          l = Math.max(l, c.left); t = Math.max(t, c.top); r = Math.min(r, c.right); b = Math.min(b, c.bottom);
        }
      }
      if (style.position === 'fixed') break;
      if (style.position === 'absolute') free = true;
    }
    return {l, t, r, b};
  };

  // shade is how far a text's shadow falls from it.
  const shade = el => {
    const text = el ? getComputedStyle(el).textShadow : 'none';
    if (!text || text === 'none') return 0;
    return Math.max(...text.replace(/[a-z-]+\([^)]*\)/g, '').match(/-?[\d.]+/g).map(v => Math.abs(v))) * 2;
  };

  // kept: what is only there to be copied has a place, but is not drawn at it.
  const kept = el => el instanceof SVGElement && !!Element.prototype.closest.call(el, 'defs,symbol');

  // lies gives the boxes of a part of a text, or of an element as a whole.
  const lies = (node, from, to, whole) => {
    let rects = [];
    if (whole) rects = [box(node)];
    else {
      const range = new Range();
      range.setStart(node, from);
      range.setEnd(node, Math.min(to, node.data.length));
      rects = [...range.getClientRects()];
    }
    if (!rects.some(r => r.width > 0 && r.height > 0) || kept(whole ? node : outer(node))) return [];
    const c = seenIn(node), far = whole ? 0 : shade(outer(node)), out = [];
    for (const r of rects) {
      const over = whole ? 0 : Math.min(r.width, r.height) * 0.1; // letters lean over
      const o = {l: Math.max(r.left - over - far, c.l), t: Math.max(r.top - far, c.t), r: Math.min(r.right + over + far, c.r), b: Math.min(r.bottom + far, c.b)};
      if (o.r > o.l && o.b > o.t) out.push(o);
    }
    return out;
  };

  // A look finds what is there now; a watch adds up what is found from its begin to
  // its end, with the way that each thing moves in between.
  let watched = null;
  const add = (w, b) => {
    const key = [b.l, b.t, b.r, b.b].map(Math.round).join();
    if (!w.boxes.has(key)) w.boxes.set(key, b);
  };
  const place = (w, node, boxes) => {
    const before = w.last.get(node);
    boxes.forEach((b, i) => {
      add(w, b);
      const a = before && before[i];
      if (a && (a.l !== b.l || a.t !== b.t)) add(w, {l: Math.min(a.l, b.l), t: Math.min(a.t, b.t), r: Math.max(a.r, b.r), b: Math.max(a.b, b.b)});
    });
    if (boxes.length) w.next.set(node, (w.next.get(node) || []).concat(boxes));
  };
  const look = w => {
    const began = performance.now();
    find(w);
    w.rest = performance.now() + 3 * Math.max(0, performance.now() - began - hurry);
  };
  const hurry = 60; // ms that a look may take to be had after every frame; else the page would not get on
  const find = w => {
    const {all, roots} = collect(), starts = [], parts = [];
    for (const root of roots) if (w.observer && !w.roots.has(root)) { w.roots.add(root); w.observer.observe(root, kinds); }
    let length = 0;
    for (const e of all) { const p = plain(e.text); starts.push(length); parts.push(p); length += p.length; }
    w.next = new Map();
    for (const [from, to] of spans(parts.join(''), w.values)) {
      let low = 0, high = starts.length - 1; // the last that begins at or before from
      while (low < high) { const mid = (low + high + 1) >> 1; if (starts[mid] <= from) low = mid; else high = mid - 1; }
      for (let i = low; i < all.length && starts[i] < to; i++) {
        const e = all[i], a = Math.max(from - starts[i], 0), b = Math.min(to - starts[i], parts[i].length);
        if (b <= a) continue;
        const same = parts[i].length === e.text.length;
        place(w, e.node, lies(e.node, same ? a : rawAt(e.text, a), same ? b : nextOf(e.text, rawAt(e.text, b - 1)), e.whole));
        if (w.boxes.size > most) return;
      }
    }
    for (const ref of secrets) {
      const el = ref.deref();
      if (el && el.isConnected && filled(el)) place(w, el, lies(el, 0, 0, true));
    }
    w.last = w.next;
  };
  const kinds = {subtree: true, childList: true, characterData: true, attributes: true};
  const forgotten = 30000; // ms after which a watch that nobody ends is over

  // told is what a watch has found.
  const told = w => ({
    all: w.boxes.size > most, w: innerWidth, h: innerHeight, ratio: devicePixelRatio || 1, closed: unopened().length,
    boxes: w.boxes.size > most ? [] : [...w.boxes.values()].map(b => ({x: b.l, y: b.t, w: b.r - b.l, h: b.b - b.t})),
  });
  const stop = w => {
    if (w.observer) w.observer.disconnect();
    if (w.channel) w.channel.port1.close();
    if (watched === w) watched = null;
  };
  const start = values => ({values: values.map(plain).filter(v => v), boxes: new Map(), last: new Map(), next: null, rest: 0, roots: new Set(), began: performance.now()});

  // mask begins a watch, which looks after every change and after every frame: what
  // is drawn in between is always one of those states. masked ends it.
  const mask = values => {
    if (watched) stop(watched);
    const w = watched = start(values);
    w.observer = new MutationObserver(() => { if (performance.now() >= w.rest) look(w); });
    w.channel = new MessageChannel();
    w.channel.port1.onmessage = () => { if (watched === w) { if (performance.now() >= w.rest) look(w); next(); } };
    const next = () => requestAnimationFrame(() => {
      if (watched !== w) return;
      if (performance.now() - w.began > forgotten) stop(w);
      else w.channel.port2.postMessage(0);
    });
    look(w);
    next();
    return told(w);
  };
  const masked = values => {
    const w = watched || start(values);
    look(w);
    stop(w);
    return told(w);
  };

  const confided = el => secrets.some(ref => ref.deref() === el);

  Object.assign(fara, {mask, masked, seenIn, secretly, confided});
})(globalThis.fara ||= {});
