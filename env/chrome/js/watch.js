// Finds what the caller looks for in pages, such as a box that only a person may
// tick.
(fara => {
  if (fara.widgets) return;
  const {holds, box, seenIn, rootsOf, unopened, tagOf} = fara;
  let found = [];

  const visible = el => Element.prototype.checkVisibility.call(el, {opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true});
  const query = (root, selector, one) => {
    const proto = root === document ? Document.prototype : DocumentFragment.prototype;
    try { return one ? proto.querySelector.call(root, selector) : [...proto.querySelectorAll.call(root, selector)]; } catch { return one ? null : []; }
  };

  // widgets gives those that can be seen, and the numbers of those that say that they
  // are solved.
  const widgets = list => {
    const roots = rootsOf(), out = [], solved = [];
    found = [];
    list.forEach((w, i) => {
      for (const root of roots) {
        for (const el of query(root, w.selector, false)) {
          if (!visible(el)) continue;
          const b = box(el), c = seenIn(el);
          const l = Math.max(b.left, c.l), t = Math.max(b.top, c.t), r = Math.min(b.right, c.r), d = Math.min(b.bottom, c.b);
          if (r - l < 1 || d - t < 1) continue;
          found.push(el);
          out.push({at: i, box: {x: l, y: t, w: r - l, h: d - t}});
        }
      }
      if (w.solved && roots.some(root => query(root, w.solved, true))) solved.push(i);
    });
    return {found: out, solved, w: innerWidth, h: innerHeight, closed: unopened().length};
  };

  // others tells what else there is: how many characters of text, fields, and things
  // that can be pressed, and whether something large is drawn.
  const fields = 'input:not([type=hidden]):not([type=submit]):not([type=button]):not([type=image]):not([type=reset]),textarea,select,[contenteditable=""],[contenteditable=true]';
  const presses = 'a[href],button,input[type=submit],input[type=button],[role=button],[role=link]';
  const large = 'img,canvas,video,object,embed';
  const others = () => {
    const out = {text: 0, fields: 0, presses: 0, large: false};
    const mine = el => found.some(w => holds(w, el) || holds(el, w));
    const count = (root, selector) => query(root, selector, false).filter(el => visible(el) && !mine(el));
    for (const root of rootsOf()) {
      out.fields += count(root, fields).length;
      out.presses += count(root, presses).length;
      out.large ||= count(root, large).some(el => { const b = box(el); return b.width * b.height > 0.1 * innerWidth * innerHeight; });
      const walker = Document.prototype.createTreeWalker.call(document, root, NodeFilter.SHOW_TEXT);
      for (let n = walker.nextNode(); n && out.text < 5000; n = walker.nextNode()) {
        const el = n.parentElement, length = n.data.trim().length;
        if (length && el && tagOf(el) !== 'textarea' && visible(el) && !found.some(w => holds(w, el))) out.text += length;
      }
    }
    return out;
  };

  Object.assign(fara, {widgets, others});
})(globalThis.fara ||= {});
