// Gives a document of which nothing came an empty page that can be drawn.
(fara => {
  fara.fill ||= () => {
    if (document.documentElement) return;
    document.open();
    document.close();
  };
})(globalThis.fara ||= {});
