// Tells what a person can read in a document, and how elements of it stand.
(fara => {
  if (fara.inspect) return;
  const most = 20, longest = 2000;
  const cut = text => [...String(text ?? '')].slice(0, longest).join('');

  // roots are the document and its shadow trees.
  const roots = () => {
    const all = [document];
    for (const root of all) {
      for (const el of root.querySelectorAll('*')) if (el.shadowRoot) all.push(el.shadowRoot);
    }
    return all;
  };
  const visible = el => el.checkVisibility({opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true}) &&
    [...el.getClientRects()].some(r => r.width > 0 && r.height > 0);
  const secret = el => el instanceof HTMLInputElement && el.type === 'password';
  const state = el => ({
    text: cut(el.innerText ?? el.textContent), value: secret(el) ? '' : cut(el.value ?? ''), visible: visible(el),
    enabled: !el.matches(':disabled') && el.getAttribute('aria-disabled') !== 'true',
    checked: el.matches(':checked') || el.getAttribute('aria-checked') === 'true',
  });
  const matches = (all, selector) => {
    const found = [];
    try {
      for (const root of all) found.push(...root.querySelectorAll(selector));
    } catch (e) {
      return {selector, problem: 'it is no CSS selector'};
    }
    return {selector, count: found.length, found: found.slice(0, most).map(state)};
  };
  const inspect = (selectors, text) => {
    const all = roots();
    return {
      text: text ? [document.body?.innerText ?? document.documentElement?.textContent ?? '', ...all.slice(1).map(r => r.host.innerText === '' ? [...r.children].map(c => c.innerText ?? '').join('\n') : '')].filter(t => t).join('\n') : '',
      elements: selectors.map(s => matches(all, s)),
    };
  };
  Object.assign(fara, {inspect});
})(globalThis.fara ||= {});
