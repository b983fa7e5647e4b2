// Lists to choose from: select elements of every kind.
(fara => {
  if (fara.list) return;
  const {words} = fara;
  const label = o => words(o.label || o.textContent);
  const dropdown = el => el.tagName === 'SELECT' && !el.multiple && el.size <= 1;
  const drawsOwn = el => getComputedStyle(el).appearance === 'base-select';

  // Many lists are drawn by the system, over the page and beyond the reach of the
  // mouse. This has the page draw them, also where the page has thrown out the
  // style that does so from the start.
  const css = PICKER_STYLE;
  const draw = el => {
    if (drawsOwn(el)) return true;
    try {
      const root = el.getRootNode(), sheet = new (root.ownerDocument || root).defaultView.CSSStyleSheet();
      sheet.replaceSync(css);
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    } catch {}
    return drawsOwn(el);
  };
  const onList = e => { const el = e.composedPath()[0]; return el && el.nodeType === 1 && dropdown(el) && !el.disabled ? el : null; };
  addEventListener('mousedown', e => {
    const el = e.isTrusted && onList(e);
    if (!el || draw(el)) return;
    e.preventDefault(); // the system's list would open
    el.focus();
  }, true);
  addEventListener('keydown', e => {
    const el = e.isTrusted && onList(e);
    const opens = e.key === ' ' || e.key === 'Enter' || e.key === 'F4' || (e.altKey && /^Arrow(Up|Down)$/.test(e.key));
    if (el && opens && !draw(el)) e.preventDefault();
  }, true);

  // list describes the list that has the focus. Options that cannot be seen are
  // left out; at tells which option of the element each one is.
  const list = () => {
    const el = fara.current, options = [];
    [...el.options].forEach((o, at) => {
      if (o.hidden || getComputedStyle(o).display === 'none' && drawsOwn(el) && el.matches(':open')) return;
      const group = o.parentElement && o.parentElement.tagName === 'OPTGROUP' ? o.parentElement : null;
      options.push({at, label: label(o), value: o.value, selected: o.selected, disabled: o.disabled || !!(group && group.disabled)});
    });
    const open = dropdown(el) && el.matches(':open');
    const own = dropdown(el) && drawsOwn(el);
    return {options: options.slice(0, 5000), open, own, drawn: dropdown(el) ? open && own && [...el.options].every(seen) : [...el.options].every(o => within(o, el))};
  };
  const within = (o, el) => {
    const r = o.getBoundingClientRect(), box = el.getBoundingClientRect();
    return r.height > 0 && r.top >= box.top - 1 && r.bottom <= box.bottom + 1 && r.bottom <= innerHeight && r.top >= 0;
  };
  // seen: can a person read the option in the picture?
  const seen = o => {
    const r = o.getBoundingClientRect();
    if (o.hidden) return true;
    if (!r.width || r.height < 6 || r.top < 0 || r.left < 0 || r.bottom > innerHeight + 1 || r.right > innerWidth + 1) return false;
    const hit = o.getRootNode().elementFromPoint(r.left + Math.min(r.width / 2, 20), r.top + r.height / 2);
    return !!hit && (hit === o || o.contains(hit));
  };

  // took: did a choice of the option reach the page, whatever the page made of it?
  let heard = false;
  const listen = el => {
    heard = false;
    el.addEventListener('change', () => { heard = true; }, {capture: true, once: true});
  };
  const took = at => heard || !!(fara.current.options[at] || {}).selected;

  // aim gives the focus to an option of the open list, so that a key chooses it.
  const aim = at => {
    const o = fara.current.options[at];
    listen(fara.current);
    o.focus({preventScroll: false});
    return o.getRootNode().activeElement === o;
  };

  // nudge puts a closed list just before an option, without an event, so that the
  // next ArrowDown chooses it.
  const nudge = at => {
    const el = fara.current;
    listen(el);
    let i = at - 1;
    const off = o => o.disabled || o.hidden || (o.parentElement.tagName === 'OPTGROUP' && o.parentElement.disabled);
    while (i >= 0 && off(el.options[i])) i--;
    el.selectedIndex = i;
    el.focus();
  };

  // force chooses without a key, and tells the page.
  const force = at => {
    const el = fara.current;
    el.selectedIndex = at;
    el.dispatchEvent(new Event('input', {bubbles: true, composed: true}));
    el.dispatchEvent(new Event('change', {bubbles: true}));
  };

  Object.assign(fara, {list, took, aim, nudge, force});
})(globalThis.fara ||= {});
