// Runs in every document before its own scripts.
(() => {
  const css = 'select:not([multiple]):not([size]), select[size="1"]:not([multiple]) { appearance: base-select !important }' +
    ' ::picker(select) { appearance: base-select !important }';
  const add = root => {
    try {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    } catch {}
  };
  add(document);
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function attachShadow(init) {
    const root = attach.call(this, init);
    add(root);
    return root;
  };
})();
