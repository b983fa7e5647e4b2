// What was put into the fields of a page and not sent yet, and the way back.
(fara => {
  if (fara.entered) return;
  const most = 300, longest = 10000; // fields of a document, characters of one
  const controls = () => {
    const found = [];
    for (const roots = [document]; roots.length && found.length < 10 * most;) {
      const root = roots.shift();
      found.push(...root.querySelectorAll('input, textarea, select'));
      for (const el of root.querySelectorAll('*')) {
        const inner = fara.innerOf(el);
        if (inner) roots.push(inner);
      }
    }
    return found;
  };
  // What is nobody's text to keep: passwords, codes, cards, files, and fields that a
  // secret was typed into.
  const never = /^(password|file|hidden|submit|button|reset|image)$/;
  const delicate = el => never.test(el.type) || /(^|\s)(one-time-code|cc-\S+|\S*-password)(\s|$)/.test(el.autocomplete || '') || fara.confided(el);
  const sign = el => [el.localName, el.type, el.name, el.id].join(' ');
  const ticked = el => el.type === 'checkbox' || el.type === 'radio';
  const picked = el => [...el.options].flatMap((o, i) => o.selected ? [i] : []);
  const changed = el => {
    switch (true) {
      case ticked(el): return el.checked !== el.defaultChecked;
      case el.localName === 'select': return [...el.options].some(o => o.selected !== o.defaultSelected);
    }
    return el.value !== el.defaultValue && el.value.length <= longest;
  };

  const entered = () => controls().map((el, at) => [el, at]).filter(([el]) => changed(el) && !delicate(el)).slice(0, most).map(([el, at]) => ({
    at, sign: sign(el), value: ticked(el) || el.localName === 'select' ? '' : el.value, checked: ticked(el) && el.checked,
    picked: el.localName === 'select' ? picked(el) : [],
  }));

  // enter puts it back where the same fields are, and says how many are not there. Of
  // text the page is told, as of any typed text, so that its own script knows it; of
  // choices it is not, since some pages send them off at once.
  const enter = list => {
    const all = controls();
    let missing = 0;
    for (const f of list) {
      const el = all[f.at];
      if (!el || sign(el) !== f.sign) missing++;
      else if (ticked(el)) el.checked = f.checked;
      else if (el.localName === 'select') [...el.options].forEach((o, i) => { o.selected = f.picked.includes(i); });
      else if (el.value !== f.value) {
        el.value = f.value;
        el.dispatchEvent(new InputEvent('input', {bubbles: true, composed: true, inputType: 'insertText'}));
      }
    }
    return missing;
  };
  // enterHere is enter with what belongs to this document.
  const enterHere = pages => pages.filter(p => p.url === location.href).reduce((missing, p) => missing + enter(p.fields), 0);
  Object.assign(fara, {entered, enterHere});
})(globalThis.fara ||= {});
