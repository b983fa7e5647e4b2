// What has the focus, and what text is in it. Work on a field goes on with the
// element that was last reported, which is fara.current.
(fara => {
  if (fara.focus) return;
  const {name, mayHost} = fara;

  // Where the mouse was last pressed here, and when the focus last moved.
  let pressed = null, moved = -1;
  addEventListener('mousedown', e => { pressed = {x: e.clientX, y: e.clientY, at: performance.now()}; }, true);
  addEventListener('focusin', () => { moved = performance.now(); }, true);
  let struck = null;
  addEventListener('keydown', e => { struck = e; }, true);

  // keyTaken: did the page keep the last key press from the browser?
  const keyTaken = () => !!struck && struck.defaultPrevented;

  // active is what has the focus in a document or shadow root, through open
  // shadow roots; a list's option counts as the list.
  const activeIn = Object.getOwnPropertyDescriptor(Document.prototype, 'activeElement').get;
  const active = root => {
    let el = root === document ? activeIn.call(root) : root.activeElement;
    while (el && el.shadowRoot && el.shadowRoot.activeElement) el = el.shadowRoot.activeElement;
    return (el && el.tagName === 'OPTION' && el.closest('select')) || el;
  };

  const temporal = /^(date|time|month|week|datetime-local)$/;
  const single = /^(text|search|url|tel|email|password|number)$/;
  const inputKind = el => {
    if (temporal.test(el.type)) return el.readOnly ? 'readonly' : 'temporal';
    if (single.test(el.type)) return el.readOnly ? 'readonly' : 'text';
    return {color: 'color', range: 'range', checkbox: 'check', radio: 'check', file: 'file'}[el.type] || 'other';
  };
  // presses: is el something that is only pressed? A key may press it too. What
  // opens a list may let its options be typed.
  const presses = el => {
    if (el.getAttribute('aria-haspopup') || /^(combobox|listbox|textbox|searchbox|spinbutton|grid|tree|menu|application)$/.test(el.getAttribute('role') || '')) return false;
    return /^(BUTTON|SUMMARY)$/.test(el.tagName) || (el.tagName === 'A' && el.hasAttribute('href')) || (el.tagName === 'INPUT' && /^(button|submit|reset|image)$/.test(el.type));
  };
  const kind = el => {
    if (!el) return 'none';
    const doc = el.ownerDocument;
    if (/^(I?FRAME|OBJECT|EMBED)$/.test(el.tagName)) return 'frame';
    if (el.tagName === 'INPUT' && !presses(el)) return inputKind(el);
    if (el.tagName === 'TEXTAREA') return el.readOnly ? 'readonly' : 'text';
    if (el.tagName === 'SELECT') return el.multiple || el.size > 1 ? 'listbox' : 'select';
    if (el.isContentEditable || doc.designMode === 'on') return 'text';
    if (el === doc.body || el === doc.documentElement) return 'none';
    if (presses(el)) return 'button';
    if (!el.shadowRoot && mayHost(el)) return 'closed';
    return 'other';
  };

  const text = el => 'value' in el ? el.value : el.innerText.replace(/\n$/, '');

  // wasPressed: did the last press of the mouse go to el, or give it the focus?
  const wasPressed = el => {
    if (!pressed) return false;
    const b = el.getBoundingClientRect();
    const inside = pressed.x >= b.left && pressed.x < b.right && pressed.y >= b.top && pressed.y < b.bottom;
    return inside || moved >= pressed.at || (el.tagName === 'SELECT' && el.matches(':open'));
  };

  // focus tells what takes the keys. Its kind is "frame" or "closed" when that has
  // to be asked further inside.
  const focus = (root = document) => {
    const el = active(root), k = kind(el);
    fara.current = el;
    if (k === 'frame') fara.found = el;
    return {
      kind: k, type: el && el.type || '', name: el && k !== 'none' ? [...name(el)].slice(0, 80).join('') : '',
      line: !!el && el.tagName === 'INPUT', pressed: !!el && wasPressed(el),
    };
  };

  // take gives the focus to what was found under a point, if a click would change
  // what it holds.
  const take = () => {
    const raw = fara.found, label = raw && raw.closest('label');
    const el = raw && raw.closest('select,input') || label && label.control;
    if (!el || el.disabled || !/^(listbox|range|check)$/.test(kind(el))) return false;
    el.focus();
    return active(el.getRootNode()) === el;
  };

  // still: does what was reported have the focus yet?
  const still = () => {
    const el = fara.current;
    return !!el && el.isConnected && active(el.getRootNode()) === el;
  };

  // selectAll selects everything in the field.
  const selectAll = () => {
    const el = fara.current, doc = el.ownerDocument;
    if (el.select) el.select();
    else doc.getSelection().selectAllChildren(el === doc.documentElement ? doc.body : el);
  };

  // left is how many characters are in the field. What a mask draws between the
  // characters does not count.
  const left = () => {
    const t = text(fara.current);
    return /[\p{L}\p{N}]/u.test(t) ? t.length : 'value' in fara.current && /^[\s()\-_./:+]*$/.test(t) ? 0 : t.length;
  };

  // mark remembers the field before it is typed into; came tells what came of it:
  // "same", "formatted" (other signs between the same letters), "short" (the field
  // was full, with how many characters it lacks), "tail" (the page added a
  // suggestion that is selected), "other", or "unknown".
  let before = null;
  const range = el => { try { return [el.selectionStart, el.selectionEnd]; } catch { return [null, null]; } };
  const mark = () => {
    const el = fara.current;
    before = 'value' in el ? {el, value: el.value, range: range(el)} : null;
  };
  const letters = t => t.normalize('NFKC').toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const came = typed => {
    const el = fara.current;
    if (!before || before.el !== el || !still()) return {how: 'unknown'};
    const [start, end] = before.range;
    if (start === null && before.value) return {how: 'unknown'};
    const head = before.value.slice(0, start || 0) + typed, whole = head + before.value.slice(end || 0), now = el.value;
    if (now === whole) return {how: 'same'};
    const [from, to] = range(el);
    if (now.startsWith(head) && from === head.length && to === now.length && to > from) return {how: 'tail'};
    if (el.maxLength >= 0 && now.length <= el.maxLength && whole.length > el.maxLength) return {how: 'short', lacks: whole.length - now.length};
    return {how: now && letters(now) === letters(whole) ? 'formatted' : 'other'};
  };

  Object.assign(fara, {keyTaken, focus, take, still, selectAll, left, mark, came});
})(globalThis.fara ||= {});
