// Finds elements by their place in this document and names them as a person would.
(fara => {
  if (fara.hit) return;
  const inside = frame => { try { return frame.contentDocument; } catch { return null; } };

  // under finds the innermost element at a point, through open shadow roots. A page's
  // names can hide the properties of its document, but not these.
  const atPoint = Document.prototype.elementFromPoint, atPointIn = ShadowRoot.prototype.elementFromPoint;
  const under = (x, y) => {
    for (let root = document, el = null; ;) {
      const next = (root === document ? atPoint : atPointIn).call(root, x, y);
      if (!next || next === el) return el;
      el = next;
      if (!el.shadowRoot) return el;
      root = el.shadowRoot;
    }
  };

  // The parts of a form hide its properties when they are called like them, so these
  // are asked for in ways that no page can stand in.
  const getter = (owner, key) => { const {get} = Object.getOwnPropertyDescriptor(owner.prototype, key); return el => get.call(el); };
  const safely = (f, otherwise) => el => { try { return f(el); } catch { return otherwise; } };
  const parentOf = getter(Node, 'parentNode'), tagOf = getter(Element, 'localName'), boxOf = el => Element.prototype.getBoundingClientRect.call(el);

  // up goes to the parent, out of shadow roots too, and to the slot's side never.
  const up = el => {
    const parent = parentOf(el);
    return parent && (parent instanceof Element ? parent : parent.host) || null;
  };
  // holds says whether el is inside outer or is it, across shadow roots.
  const holds = (outer, el) => { for (let n = el; n; n = up(n)) if (n === outer) return true; return false; };

  // acts matches what a user can operate.
  const widgets = ['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio',
    'option', 'treeitem', 'textbox', 'searchbox', 'combobox', 'slider', 'spinbutton', 'gridcell', 'scrollbar'];
  const acts = 'a[href],a[onclick],area[href],button,input:not([type=hidden]),select,textarea,label,summary,option,svg a,[onclick],' +
    '[contenteditable=""],[contenteditable=true],[contenteditable=plaintext-only],' + widgets.map(r => `[role=${r}]`).join();
  const roles = {
    A: 'link', AREA: 'link', BUTTON: 'button', SELECT: 'combobox', TEXTAREA: 'textbox', SUMMARY: 'button', OPTION: 'option',
    IMG: 'image', IFRAME: 'frame', FRAME: 'frame', LABEL: 'label', NAV: 'navigation', DIALOG: 'dialog',
    H1: 'heading', H2: 'heading', H3: 'heading', H4: 'heading', H5: 'heading', H6: 'heading',
  };
  const inputs = {
    button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio',
    range: 'slider', number: 'spinbutton', search: 'searchbox', file: 'file field', color: 'colour field',
    date: 'date field', time: 'time field', 'datetime-local': 'date field', month: 'date field', week: 'date field',
  };
  const role = safely(el => {
    const tag = el.tagName.toUpperCase();
    if (tag === 'LABEL' && el.control) return role(el.control); // a click goes on to it
    return el.getAttribute('role') || (tag === 'INPUT' ? inputs[el.type] || 'textbox' : roles[tag] || '');
  }, '');

  const words = text => (typeof text === 'string' ? text : '').replace(/\s+/g, ' ').trim();
  const name = safely(el => {
    const byId = (el.getAttribute('aria-labelledby') || '').split(/\s+/).filter(Boolean)
      .map(id => { const n = el.getRootNode().getElementById(id); return n ? n.textContent : ''; }).join(' ');
    const labels = el.labels ? [...el.labels].map(l => l.textContent).join(' ') : '';
    const pressed = el.tagName === 'INPUT' && /^(button|submit|reset)$/.test(el.type) ? el.value || el.type : '';
    const field = /^(INPUT|TEXTAREA|SELECT|IFRAME|HTML|BODY)$/.test(el.tagName);
    const img = el.querySelector('img[alt],title');
    return [byId, el.getAttribute('aria-label'), labels, pressed, el.getAttribute('alt'), el.getAttribute('placeholder'),
      field ? '' : (el.innerText || el.textContent || '').slice(0, 400), img ? img.getAttribute('alt') || img.textContent : '',
      el.getAttribute('title'), field ? el.getAttribute('name') : ''].map(words).find(Boolean) || '';
  }, '');

  // box is an element's border box; that of an area is where it lies on its image.
  const box = el => {
    if (tagOf(el) !== 'area') return boxOf(el);
    const map = el.closest('map'), img = map && [...document.images].find(i => i.useMap === '#' + map.name);
    const r = img ? img.getBoundingClientRect() : new DOMRect(), c = el.coords.split(',').map(Number);
    if (/^circ/i.test(el.shape)) return new DOMRect(r.x + c[0] - c[2], r.y + c[1] - c[2], 2 * c[2], 2 * c[2]);
    const xs = c.filter((_, i) => i % 2 === 0), ys = c.filter((_, i) => i % 2);
    if (!xs.length || !ys.length || c.some(isNaN)) return r;
    return new DOMRect(r.x + Math.min(...xs), r.y + Math.min(...ys), Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
  };

  // control is the thing that would take a click on el, null when none is near.
  const control = el => {
    for (let n = el, i = 0; n && i < 6; n = up(n), i++) if (Element.prototype.matches.call(n, acts)) return n;
    return null;
  };

  // describe tells of an element, or of the control around it.
  const frames = /^(I?FRAME|OBJECT|EMBED)$/;
  const hosts = /^(ARTICLE|ASIDE|BLOCKQUOTE|BODY|DIV|FOOTER|H[1-6]|HEADER|MAIN|NAV|P|SECTION|SPAN)$/;
  const mayHost = el => hosts.test(el.tagName) || el.localName.includes('-'); // what may have a closed shadow root
  // pierced describes an element that only the browser can find, in a closed shadow
  // root; null for every other.
  const pierced = node => {
    const el = node.nodeType === 1 ? node : node.parentElement;
    for (let n = el; n;) {
      const root = Node.prototype.getRootNode.call(n);
      if (root instanceof ShadowRoot && root.mode === 'closed') return describe(el);
      n = root instanceof ShadowRoot ? root.host : null;
    }
    return null;
  };
  const describe = raw => {
    fara.found = raw;
    const el = control(raw) || raw, b = box(el);
    return {
      tag: tagOf(el).toLowerCase(), role: role(el), name: [...name(el)].slice(0, 80).join(''),
      box: {x: b.left, y: b.top, w: b.width, h: b.height},
      frame: frames.test(raw.tagName),
      closed: !raw.shadowRoot && mayHost(raw),
      scroll: {x: scrollX, y: scrollY},
      cover: safely(fara.cover, null)(raw),
    };
  };

  // hit describes what is at a point, null when that is nothing.
  const hit = (x, y) => {
    fara.point = [x, y];
    const el = under(x, y);
    return el ? describe(el) : null;
  };

  const size = () => ({w: innerWidth, h: innerHeight});

  Object.assign(fara, {getter, tagOf, size, under, up, holds, inside, acts, role, words, name, box, control, mayHost, describe, pierced, hit});
})(globalThis.fara ||= {});
