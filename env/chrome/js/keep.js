// What a page keeps in the browser, and where it is scrolled to.
(fara => {
  if (fara.kept) return;
  const limit = 2e6; // characters; a larger store is left out, since a part of one is worth nothing
  const all = store => {
    try {
      const items = {...store()};
      return JSON.stringify(items).length <= limit ? items : null;
    } catch { return null; } // the document has none
  };
  const kept = () => {
    const outer = location.ancestorOrigins;
    return {
      url: location.href, x: scrollX, y: scrollY, origin, top: outer.length ? outer[outer.length - 1] : origin,
      local: all(() => localStorage), session: all(() => sessionStorage), fields: fara.entered(),
    };
  };
  Object.assign(fara, {kept});
})(globalThis.fara ||= {});
