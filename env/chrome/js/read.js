(() => {
  const limit = 3e6; // characters of HTML; no page that people read has more
  const skipped = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'LINK', 'META', 'HEAD', 'OBJECT', 'EMBED', 'CANVAS', 'AUDIO', 'VIDEO', 'SVG', 'SLOT-FALLBACK']);
  const empty = new Set(['BR', 'HR', 'IMG', 'WBR']);
  const kept = {A: ['href'], IMG: ['src', 'alt'], TD: ['colspan', 'rowspan'], TH: ['colspan', 'rowspan'], OL: ['start']};
  const out = [];
  let size = 0;
  const put = text => { out.push(text); size += text.length; };
  const esc = text => text.replace(/[&<>"]/g, c => '&#' + c.charCodeAt(0) + ';');
  const inside = frame => { try { return frame.contentDocument; } catch { return null; } };

  const hidden = el => {
    if (el.hasAttribute('hidden') && el.getAttribute('hidden') !== 'until-found') return true;
    const style = el.ownerDocument.defaultView.getComputedStyle(el);
    return style.display === 'none' || style.contentVisibility === 'hidden';
  };
  const unseen = el => {
    const style = el.ownerDocument.defaultView.getComputedStyle(el);
    return style.visibility !== 'visible' || style.opacity === '0';
  };

  // value gives what a form field shows, and never a password.
  const value = el => {
    switch (el.tagName) {
      case 'SELECT': return [...el.selectedOptions].map(o => o.text).join(', ');
      case 'TEXTAREA': return el.value;
    }
    switch (el.type) {
      case 'hidden': return null;
      case 'password': return '•'.repeat(Math.min(el.value.length, 8));
      case 'checkbox': case 'radio': return el.checked ? '[x]' : '[ ]';
      case 'file': return [...el.files].map(f => f.name).join(', ');
    }
    return el.value || (el.placeholder ? '(' + el.placeholder + ')' : '');
  };

  const attribute = (el, name) => {
    let v = el.getAttribute(name);
    if (v === null) return '';
    if (name === 'href' || name === 'src') {
      try { v = new URL(v, el.baseURI).href; } catch {}
      if (/^(javascript|data|blob):/i.test(v)) return '';
    }
    return ` ${name}="${esc(v)}"`;
  };

  const children = node => { for (const child of node.childNodes) walk(child); };
  const walk = node => {
    if (size > limit) return;
    if (node.nodeType === Node.TEXT_NODE) {
      const parent = node.parentElement;
      if (!parent || !unseen(parent)) put(esc(node.data));
      return;
    }
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    const el = node, tag = el.tagName.toUpperCase();
    if (skipped.has(tag) || hidden(el)) return;
    if (tag === 'INPUT' || tag === 'SELECT' || tag === 'TEXTAREA') {
      const v = unseen(el) ? null : value(el);
      if (v !== null && v !== '') put(' ' + esc(v) + ' ');
      return;
    }
    if (tag === 'IFRAME' || tag === 'FRAME') {
      const doc = inside(el);
      if (doc && doc.body) { put('<div>'); children(doc.body); put('</div>'); }
      return;
    }
    if (tag === 'SLOT') {
      const nodes = el.assignedNodes();
      if (nodes.length) nodes.forEach(walk); else children(el);
      return;
    }
    const name = tag.includes('-') || tag === 'BODY' || tag === 'HTML' ? 'div' : tag.toLowerCase();
    put('<' + name + (kept[tag] || []).map(a => attribute(el, a)).join('') + '>');
    if (empty.has(tag)) return;
    if (el.shadowRoot) children(el.shadowRoot); else children(el);
    put('</' + name + '>');
  };
  if (document.body) walk(document.body);
  return {URL: location.href, Title: document.title, HTML: out.join('')};
})()
