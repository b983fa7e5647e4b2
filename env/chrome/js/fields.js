// Fields with a form of their own: dates and times, colours, sliders, files.
(fara => {
  if (fara.fieldState) return;

  // The calendars and colour pickers of the system are drawn over the page and
  // take no clicks, so they stay closed.
  const calendar = /^(date|time|month|week|datetime-local)$/;
  const origin = e => { const el = e.composedPath()[0]; return el && el.tagName === 'INPUT' ? el : null; };
  addEventListener('click', e => {
    const el = origin(e);
    if (el && (calendar.test(el.type) || el.type === 'color')) e.preventDefault();
  }, true);
  addEventListener('keydown', e => {
    const el = origin(e);
    const opens = e.key === ' ' || e.key === 'F4' || (e.altKey && /^Arrow(Up|Down)$/.test(e.key));
    if (el && opens && calendar.test(el.type)) e.preventDefault();
  }, true);

  // fieldState is the field's value, its limits, and which of them it breaks.
  const fieldState = () => {
    const el = fara.current, v = el.validity;
    return {
      value: el.value, min: el.min || '', max: el.max || '', step: el.step || '', checked: !!el.checked,
      breaks: v.rangeUnderflow ? 'min' : v.rangeOverflow ? 'max' : v.stepMismatch ? 'step' : '',
      accept: el.accept || '', multiple: !!el.multiple, folder: !!el.webkitdirectory,
    };
  };

  // put sets the value and tells the page, as a field does when a picker has been
  // used. It gives what the field made of it.
  const put = value => {
    const el = fara.current;
    el.value = value;
    el.dispatchEvent(new Event('input', {bubbles: true, composed: true}));
    el.dispatchEvent(new Event('change', {bubbles: true}));
    return el.value;
  };

  // hue gives a colour in any spelling of CSS as #rrggbb, empty when it is none.
  const hue = text => {
    if (!CSS.supports('color', text)) return '';
    const paint = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    paint.fillStyle = text;
    if (/^#[0-9a-f]{6}$/.test(paint.fillStyle)) return paint.fillStyle;
    paint.fillRect(0, 0, 1, 1);
    return '#' + [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3).map(n => n.toString(16).padStart(2, '0')).join('');
  };

  // slide puts a slider just beside a value, without an event, so that an arrow key
  // that goes up or down takes it there. It gives the key, empty when it is there
  // already or no step leads there.
  const slide = value => {
    const el = fara.current, old = el.value;
    el.value = value;
    const want = el.value;
    if (want === old) return {want, key: ''};
    for (const [move, key] of [['stepDown', 'ArrowUp'], ['stepUp', 'ArrowDown']]) {
      el.value = want;
      try { el[move](); } catch { continue; }
      if (el.value !== want) return {want, key};
    }
    el.value = old;
    return {want, key: ''};
  };

  Object.assign(fara, {fieldState, put, hue, slide});
})(globalThis.fara ||= {});
