(() => {
  const limit = 3e6; // characters of HTML; no page that people read has more
  const skipped = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'LINK', 'META', 'HEAD', 'OBJECT', 'EMBED', 'CANVAS', 'AUDIO', 'VIDEO', 'SVG', 'SLOT-FALLBACK']);
  const empty = new Set(['BR', 'HR', 'IMG', 'WBR']);
  const kept = {A: ['href'], IMG: ['src', 'alt'], TD: ['colspan', 'rowspan'], TH: ['colspan', 'rowspan'], OL: ['start']};
  const mark = '{{mark}}', left = []; // frames that only the browser can look into
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

  // plugged is whether an element shows a PDF.
  const plugged = el => /^(EMBED|OBJECT)$/.test(el.tagName) && (/pdf/i.test(el.type) || /\.pdf\b/i.test(el.src || el.data));

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
      try {
        const at = new URL(v, el.baseURI);
        at.username = at.password = '';
        v = at.href;
      } catch {}
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
    if (skipped.has(tag) && !plugged(el) || hidden(el)) return;
    if (tag === 'INPUT' || tag === 'SELECT' || tag === 'TEXTAREA') {
      const v = unseen(el) ? null : value(el);
      if (v !== null && v !== '') put(' ' + esc(v) + ' ');
      return;
    }
    if (tag === 'IFRAME' || tag === 'FRAME' || plugged(el)) {
      const doc = inside(el), box = el.getBoundingClientRect();
      if (doc && doc.body && doc.contentType !== 'application/pdf') { put('<div>'); children(doc.body); put('</div>'); }
      else if (box.width > 2 && box.height > 2 && !unseen(el)) put(mark + ':' + (left.push(el) - 1) + ';');
      return;
    }
    if (tag === 'SLOT') {
      const nodes = el.assignedNodes();
      if (nodes.length) nodes.forEach(walk); else children(el);
      return;
    }
    const name = tag.includes('-') || /^(BODY|HTML|FRAMESET)$/.test(tag) ? 'div' : tag.toLowerCase();
    put('<' + name + (kept[tag] || []).map(a => attribute(el, a)).join('') + '>');
    if (empty.has(tag)) return;
    if (el.shadowRoot) children(el.shadowRoot);
    else if (tag === 'DETAILS' && !el.open) [...el.children].filter(c => c.tagName === 'SUMMARY').slice(0, 1).forEach(walk);
    else children(el);
    put('</' + name + '>');
  };
  const type = document.contentType;
  const xml = document.getElementById('webkit-xml-viewer-source-xml'); // what the browser's own view of it is made of
  if (xml) put('<pre>' + esc([...xml.childNodes].map(n => new XMLSerializer().serializeToString(n)).join('').slice(0, limit)) + '</pre>');
  else if (document.body) walk(document.body);
  else if (document.documentElement && type !== 'application/pdf') {
    put('<pre>' + esc(new XMLSerializer().serializeToString(document).slice(0, limit)) + '</pre>');
  }
  (globalThis.fara ||= {}).left = left;
  return {URL: location.href, Title: document.title, Type: type, HTML: out.join(''), Frames: left.length};
})()
