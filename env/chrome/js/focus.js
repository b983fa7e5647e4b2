// What has the focus, and what text is in it.
(fara => {
  if (fara.focus) return;
  const {inside, name} = fara;

  const focused = () => {
    let el = document.activeElement;
    for (;;) {
      if (!el) return null;
      const inner = el.shadowRoot ? el.shadowRoot.activeElement : /^I?FRAME$/.test(el.tagName) ? (inside(el) || {}).activeElement : null;
      if (!inner) return el;
      el = inner;
    }
  };
  const untyped = /^(button|submit|reset|image|checkbox|radio|range|file|color|hidden)$/;
  const kind = el => {
    if (!el) return 'none';
    if (/^I?FRAME$/.test(el.tagName)) return inside(el) ? (inside(el).designMode === 'on' ? 'text' : 'none') : 'foreign';
    if (el.tagName === 'INPUT' && untyped.test(el.type)) return 'other';
    if (el.tagName === 'INPUT' || el.tagName === 'TEXTAREA') return el.disabled ? 'none' : el.readOnly ? 'readonly' : 'text';
    if (el.isContentEditable || el.ownerDocument.designMode === 'on') return 'text';
    if (el.tagName === 'SELECT' || el.tagName === 'CANVAS' || el.getAttribute('role') === 'textbox') return 'other';
    return el === el.ownerDocument.body || el === el.ownerDocument.documentElement ? 'none' : 'other';
  };

  // focus tells what takes the keys: "text", "readonly", "foreign" (a frame of
  // another site), "other" (a control), "none"; and how much text is in it.
  const focus = () => {
    const el = focused(), k = kind(el);
    const text = k !== 'text' ? '' : 'value' in el ? el.value : el.innerText.replace(/\n$/, '');
    return {kind: k, length: text.length, name: el && k !== 'none' ? [...name(el)].slice(0, 80).join('') : ''};
  };

  // selectAll selects everything in what has the focus and reports how much.
  const selectAll = () => {
    const el = focused();
    if (kind(el) !== 'text') return focus();
    if (el.select) el.select();
    else el.ownerDocument.getSelection().selectAllChildren(el === el.ownerDocument.documentElement ? el.ownerDocument.body : el);
    return focus();
  };

  Object.assign(fara, {focused, focus, selectAll});
})(globalThis.fara ||= {});
