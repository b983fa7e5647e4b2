// Shadow trees that are closed to scripts. The page's own world tells which elements
// get one, and the browser hands in nodes of it.
(fara => {
  if (fara.shut) return;
  const {getter} = fara;
  const secret = '{{secret}}';
  const shadowOf = getter(Element, 'shadowRoot');
  const roots = new WeakMap(); // by their hosts
  let hosts = [];

  document.addEventListener(secret + 'closed', e => { if (e.relatedTarget) hosts.push(new WeakRef(e.relatedTarget)); });

  // unopened are the elements that have such a tree, whose root is not known yet.
  const unopened = () => {
    hosts = hosts.filter(ref => ref.deref() && !roots.has(ref.deref()));
    return hosts.map(ref => ref.deref()).filter(el => el.isConnected);
  };
  // shut takes in nodes of such trees, or their roots.
  const shut = (...nodes) => {
    for (const n of nodes) {
      const root = Node.prototype.getRootNode.call(n);
      if (root instanceof ShadowRoot) roots.set(root.host, root);
    }
  };
  // innerOf is the root of an element's shadow tree, if there is one that is known.
  const innerOf = el => shadowOf(el) || roots.get(el) || null;
  // rootsOf are the document and its shadow trees.
  const rootsOf = () => {
    const all = [document];
    for (const root of all) {
      const proto = root === document ? Document.prototype : DocumentFragment.prototype;
      for (const el of proto.querySelectorAll.call(root, '*')) {
        const inner = innerOf(el);
        if (inner) all.push(inner);
      }
    }
    return all;
  };

  Object.assign(fara, {unopened, shut, innerOf, rootsOf});
})(globalThis.fara ||= {});
