// Finds elements by their place and names them as a person would.
(fara => {
  if (fara.hit) return;
  const inside = frame => { try { return frame.contentDocument; } catch { return null; } };

  // at finds the innermost element under a point: through shadow roots and
  // frames. It gives the element, the offset of its document, and the frames
  // passed on the way.
  const at = (x, y) => {
    let root = document, dx = 0, dy = 0;
    const frames = [];
    for (;;) {
      const el = root.elementFromPoint(x - dx, y - dy);
      if (!el) return {el: null, dx, dy, frames};
      if (el.shadowRoot && el.shadowRoot !== root && el.shadowRoot.elementFromPoint(x - dx, y - dy)) {
        if (el.shadowRoot.elementFromPoint(x - dx, y - dy) === el) return {el, dx, dy, frames};
        root = el.shadowRoot;
        continue;
      }
      const doc = /^I?FRAME$/.test(el.tagName) ? inside(el) : null;
      if (!doc) return {el, dx, dy, frames};
      const box = el.getBoundingClientRect();
      dx += box.left + el.clientLeft;
      dy += box.top + el.clientTop;
      frames.push(el);
      root = doc;
    }
  };

  // up goes to the parent, out of shadow roots too.
  const up = el => el.parentElement || (el.getRootNode() instanceof ShadowRoot || el.getRootNode().host ? el.getRootNode().host : null);

  const acts = 'a[href],button,input,select,textarea,label,summary,option,[role],[onclick],[contenteditable=""],[contenteditable=true]';
  const roles = {
    A: 'link', BUTTON: 'button', SELECT: 'combobox', TEXTAREA: 'textbox', SUMMARY: 'button', OPTION: 'option',
    IMG: 'image', IFRAME: 'frame', LABEL: 'label', NAV: 'navigation', DIALOG: 'dialog',
    H1: 'heading', H2: 'heading', H3: 'heading', H4: 'heading', H5: 'heading', H6: 'heading',
  };
  const inputs = {
    button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio',
    range: 'slider', number: 'spinbutton', search: 'searchbox', file: 'file field', color: 'colour field',
    date: 'date field', time: 'time field', 'datetime-local': 'date field', month: 'date field', week: 'date field',
  };
  const role = el => el.getAttribute('role') || (el.tagName === 'INPUT' ? inputs[el.type] || 'textbox' : roles[el.tagName] || '');

  const words = text => (text || '').replace(/\s+/g, ' ').trim();
  const name = el => {
    const byId = (el.getAttribute('aria-labelledby') || '').split(/\s+/).filter(Boolean)
      .map(id => { const n = el.getRootNode().getElementById(id); return n ? n.textContent : ''; }).join(' ');
    const labels = el.labels ? [...el.labels].map(l => l.textContent).join(' ') : '';
    const pressed = el.tagName === 'INPUT' && /^(button|submit|reset)$/.test(el.type) ? el.value || el.type : '';
    const field = /^(INPUT|TEXTAREA|SELECT|IFRAME|HTML|BODY)$/.test(el.tagName);
    const img = el.querySelector('img[alt],svg title');
    return [byId, el.getAttribute('aria-label'), labels, pressed, el.getAttribute('alt'), el.getAttribute('placeholder'),
      field ? '' : (el.innerText || el.textContent || '').slice(0, 400), img ? img.getAttribute('alt') || img.textContent : '',
      el.getAttribute('title'), field ? el.getAttribute('name') : ''].map(words).find(Boolean) || '';
  };

  // hit describes what is under a point: the control that would take a click
  // there, or the element itself when there is none near.
  const hit = (x, y) => {
    const found = at(x, y);
    if (!found.el) return null;
    let el = found.el;
    for (let n = el, i = 0; n && i < 6; n = up(n), i++) if (n.matches(acts)) { el = n; break; }
    const box = el.getBoundingClientRect();
    return {
      tag: el.tagName.toLowerCase(), role: role(el), name: [...name(el)].slice(0, 80).join(''),
      box: {x: box.left + found.dx, y: box.top + found.dy, w: box.width, h: box.height},
    };
  };

  Object.assign(fara, {at, up, inside, name, hit});
})(globalThis.fara ||= {});
