// Runs in every document before its own scripts, in their world. What it needs is
// taken here at once, and what it puts in the way looks like what was there.
(() => {
  const css = PICKER_STYLE;
  const Sheet = CSSStyleSheet, style = getComputedStyle, apply = Reflect.apply;
  const add = root => {
    try {
      const sheet = new Sheet();
      sheet.replaceSync(css);
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    } catch {}
  };
  add(document);

  // wrap puts a function in the place of a method; a proxy of it still shows the
  // browser's own source.
  const wrap = (proto, name, make) => {
    try {
      const native = proto[name];
      if (native) proto[name] = new Proxy(native, {apply: make(native)});
    } catch {}
  };

  // Lists and pickers that the system draws take no clicks, so they stay closed.
  const picked = /^(date|time|month|week|datetime-local|color)$/;
  const inClosed = e => {
    const el = e.target;
    if (el.tagName === 'INPUT' && picked.test(el.type)) e.preventDefault();
  };
  const listen = EventTarget.prototype.addEventListener, send = EventTarget.prototype.dispatchEvent, Mouse = MouseEvent, doc = document;
  wrap(Element.prototype, 'attachShadow', native => (_, self, args) => {
    const root = apply(native, self, args);
    add(root);
    if (root.mode === 'closed') {
      apply(listen, root, ['click', inClosed, true]);
      apply(send, doc, [new Mouse('{{secret}}closed', {relatedTarget: self})]); // the one event that carries an element
    }
    return root;
  });
  wrap(HTMLInputElement.prototype, 'showPicker', native => (_, self, args) => {
    if (self instanceof HTMLInputElement && picked.test(self.type)) { self.focus(); return; }
    return apply(native, self, args);
  });
  wrap(HTMLSelectElement.prototype, 'showPicker', native => (_, self, args) => {
    if (self instanceof HTMLSelectElement && style(self).appearance !== 'base-select') { self.focus(); return; }
    return apply(native, self, args);
  });
})();
