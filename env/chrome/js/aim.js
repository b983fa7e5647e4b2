// Tells of an element all that a rule can need: what it is, where it leads, and
// what it sends.
(fara => {
  if (fara.tell) return;
  const {getter, tagOf, up, role, words, name, box, control} = fara;

  const methodOf = getter(HTMLFormElement, 'method'), actionOf = getter(HTMLFormElement, 'action');
  const elementsOf = getter(HTMLFormElement, 'elements');
  const attribute = (el, key) => Element.prototype.getAttribute.call(el, key);
  const matches = (el, selector) => Element.prototype.matches.call(el, selector);
  const contains = (el, other) => Node.prototype.contains.call(el, other);
  const rootOf = el => Node.prototype.getRootNode.call(el);

  // address is where what a document says comes from: one without an address of
  // its own speaks for the site that made it.
  const address = () => /^(about|blob):/.test(location.href) && origin !== 'null' ? origin + '/' : location.href;

  const cut = (text, n) => [...words(text.slice(0, 5000))].slice(0, n).join('');
  const labelled = el => cut(name(el), 80);

  // target is what a person would name at a point: the control around it, and a
  // link or button however deep in it the point is.
  const native = 'a[href],area[href],button,label,summary';
  const target = raw => {
    if (raw === document.documentElement && document.body instanceof HTMLElement && document.body.isContentEditable) return document.body;
    const near = control(raw);
    if (near) return near;
    for (let n = raw; n; n = up(n)) if (matches(n, native)) return n;
    return raw;
  };
  // actor is what takes the click in the end: a label hands it on.
  const actor = el => (el.tagName === 'LABEL' && el.control) || el;

  const link = el => {
    for (let n = el; n; n = up(n)) {
      if (!/^(a|area)$/i.test(n.tagName)) continue;
      const href = n.href && n.href.baseVal !== undefined ? n.href.baseVal : n.hasAttribute('href') && n.href;
      if (href) try { return new URL(href, n.baseURI).href; } catch { return ''; }
    }
    return '';
  };

  // typed: can text be typed into it? written: may its words be what was typed?
  const lines = /^(text|search|url|tel|email|password|number)$/, moments = /^(date|time|month|week|datetime-local)$/;
  const written = el => /^(INPUT|TEXTAREA)$/.test(el.tagName) || el.isContentEditable || document.designMode === 'on';
  const off = el => matches(el, ':disabled');
  const typed = el => {
    if (el.tagName === 'INPUT') return (lines.test(el.type) || moments.test(el.type)) && !el.readOnly && !off(el);
    if (el.tagName === 'TEXTAREA') return !el.readOnly && !off(el);
    return written(el);
  };
  const button = el => el.tagName === 'BUTTON' || (el.tagName === 'INPUT' && /^(button|submit|reset|image)$/.test(el.type));
  const type = el => /^(INPUT|BUTTON)$/.test(el.tagName) ? el.type : '';
  const shows = el => {
    if (el.tagName === 'SELECT') return [...el.selectedOptions].map(o => o.label).join(', ');
    if (el.tagName === 'INPUT' && button(el)) return el.value;
    return written(el) || el instanceof HTMLFormElement ? '' : el.innerText || el.textContent || '';
  };

  // parts are the elements of a form in their order, those outside that name it too.
  const parts = form => [...rootOf(form).querySelectorAll('input,button')].filter(el => el.form === form);
  const submits = el => /^(submit|image)$/.test(el.type) && /^(INPUT|BUTTON)$/.test(el.tagName);

  // sender is what a form is sent by when el is pressed, or Enter is pressed in it,
  // as Chromium finds it: itself, the form's first button, or the form alone when
  // el is its only field of one line. It is null when nothing is sent.
  const sender = (el, form) => {
    if (off(el)) return null;
    if (button(el)) return submits(el) ? el : null;
    if (el.tagName !== 'INPUT' || el.type === 'file' || el.type === 'color') return null;
    let fields = 0;
    const starts = lines.test(el.type);
    for (const part of parts(form)) {
      if (submits(part)) {
        if (!off(part)) return part;
        if (starts) return null;
      } else if (part.tagName === 'INPUT' && lines.test(part.type)) fields++;
    }
    return starts && fields === 1 ? form : null;
  };

  // seen: can a person see and fill the field? Boxes are often hidden behind their
  // label.
  const shown = el => el.checkVisibility({visibilityProperty: true}) && el.getClientRects().length > 0;
  const seen = el => shown(el) || (/^(checkbox|radio|file)$/.test(el.type) && [...el.labels || []].some(shown));
  const filled = el => {
    if (/^(checkbox|radio)$/.test(el.type)) return el.checked;
    return 'value' in el ? !!el.value : !!words(el.textContent);
  };
  const fieldType = el => el.tagName === 'INPUT' ? el.type : el.isContentEditable ? 'contenteditable' : el.tagName.toLowerCase();
  const called = el => el.isContentEditable ? cut(attribute(el, 'aria-label') || attribute(el, 'title') || '', 80) : labelled(el);
  const field = el => ({type: fieldType(el), name: called(el), autocomplete: attribute(el, 'autocomplete') || '', filled: filled(el)});
  const fillable = el => /^(SELECT|TEXTAREA)$/.test(el.tagName) || el.tagName.includes('-') ||
    (el.tagName === 'INPUT' && el.type !== 'hidden' && !button(el));
  const editable = '[contenteditable=""],[contenteditable=true],[contenteditable=plaintext-only]';
  const fields = form => {
    const mine = [...elementsOf(form)].filter(fillable), out = [];
    for (const el of rootOf(form).querySelectorAll(editable)) if (contains(form, el) && !mine.includes(el)) mine.push(el);
    mine.sort((a, b) => a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);
    for (const el of mine) {
      if (out.length === 40) break;
      if (seen(el)) out.push(field(el));
    }
    return out;
  };

  const title = form => {
    const byId = (attribute(form, 'aria-labelledby') || '').split(/\s+/).filter(Boolean)
      .map(id => { const n = rootOf(form).getElementById(id); return n ? n.textContent : ''; }).join(' ');
    return cut([byId, attribute(form, 'aria-label'), attribute(form, 'title'), attribute(form, 'id'), attribute(form, 'name')].map(words).find(Boolean) || '', 80);
  };
  const formOf = el => {
    const form = 'form' in el && el.form instanceof HTMLFormElement ? el.form : null;
    if (form) return form;
    for (let n = el; n; n = up(n)) if (n instanceof HTMLFormElement) return n;
    return null;
  };
  const form = el => {
    const f = formOf(el);
    if (!f) return null;
    const by = sender(el, f), own = by && by !== f ? by : null;
    const method = own && own.hasAttribute('formmethod') ? own.formMethod : methodOf(f);
    const action = own && own.hasAttribute('formaction') ? own.formAction : actionOf(f);
    return {method, action, name: title(f), submits: !!by, fields: fields(f)};
  };

  // tell tells of what was found last: at a point, or as what has the focus.
  const tell = which => {
    const raw = fara[which];
    if (!raw) return null;
    const el = which === 'found' ? target(raw) : raw, does = actor(el), b = box(el);
    return {
      tag: tagOf(el).toLowerCase(), role: role(el), name: labelled(el), box: {x: b.left, y: b.top, w: b.width, h: b.height},
      text: cut(shows(el), 200), type: type(does), autocomplete: attribute(does, 'autocomplete') || '', link: link(el),
      document: address(), editable: typed(does), form: form(does),
    };
  };

  Object.assign(fara, {tell, address});
})(globalThis.fara ||= {});
