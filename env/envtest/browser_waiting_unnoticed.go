package envtest

import (
	"net/http"
	"testing"
	"time"
)

// unnoticedCases are about pages that look for whoever drives the browser, or
// break what scripts in their world could rely on.
func unnoticedCases() []browserCase {
	return []browserCase{
		{name: "timers and requests look untouched", run: looksUntouched},
		{name: "timers and requests work as ever", run: worksAsEver},
		{name: "text as a timer obeys the page's policy", run: textTimer},
		{name: "a page sees nothing of what is asked of it", run: seesNothing},
		{name: "a page that breaks its own world is waited for", run: brokenWorld},
	}
}

// looksUntouched compares what a page can see of the functions with what the
// browser's own always show. What is wrong is written in the title.
func looksUntouched(_ *testing.T, b *Tab) {
	b.Open(`<title>-</title><script>
const wrong = [];
const own = (owner, name, length, kind = 'value') => {
  const d = Object.getOwnPropertyDescriptor(owner, name), f = d && d[kind];
  if (typeof f !== 'function') { wrong.push(name + ' gone'); return; }
  if (f.name !== name) wrong.push(name + ' is called ' + f.name);
  if (f.length !== length) wrong.push(name + ' takes ' + f.length);
  if (!/^function \w*\(\) \{ \[native code\] \}$/.test(Function.prototype.toString.call(f))) wrong.push(name + ' reads ' + f);
  if (!d.writable || !d.configurable || !d.enumerable) wrong.push(name + ' is fixed');
  if ('prototype' in f || Object.getOwnPropertyNames(f).sort().join() !== 'length,name') wrong.push(name + ' has ' + Object.getOwnPropertyNames(f));
  try { new f(); wrong.push(name + ' constructs'); } catch (e) { if (!(e instanceof TypeError)) wrong.push(name + ' constructs badly'); }
};
for (const [name, length] of [['setTimeout', 1], ['setInterval', 1], ['clearTimeout', 0], ['clearInterval', 0], ['requestAnimationFrame', 1],
  ['cancelAnimationFrame', 1], ['requestIdleCallback', 1], ['cancelIdleCallback', 1], ['fetch', 1]]) own(window, name, length);
own(XMLHttpRequest.prototype, 'open', 2); own(XMLHttpRequest.prototype, 'send', 0);
own(Worker.prototype, 'postMessage', 1); own(Element.prototype, 'attachShadow', 1);
document.title = wrong.join(' ') || 'fine';
</script>`)
	b.Says("fine")
}

// worksAsEver sets timers from a click, which are the ones that are followed.
func worksAsEver(_ *testing.T, b *Tab) {
	b.Open(`<title>-</title><button` + target + `>go</button><script>
const wrong = [], check = (name, holds) => { if (!holds) wrong.push(name); };
const fails = (name, f) => { try { f(); wrong.push(name + ' passes'); } catch (e) { if (!(e instanceof TypeError)) wrong.push(name + ' gives ' + e); } };
const order = [];
let errors = 0, rounds = 0, never = 0;
onerror = m => { errors += /my own error/.test(m); return true; };
document.querySelector('button').onclick = async () => {
  const a = setTimeout(function (x, y) { check('this', this === window); check('arguments', x === 1 && y === 2 && arguments.length === 2); }, 10, 1, 2);
  check('number', Number.isInteger(a) && a > 0);
  check('grows', setTimeout(() => {}) > a);
  setTimeout('order.push("text")', 20);
  setTimeout(() => order.push('first'), 30); setTimeout(() => order.push('second'), 30);
  setTimeout(() => { throw new Error('my own error'); }, 10);
  setTimeout(() => { check('depth', !/\n.*\n/.test(new Error('x').stack.trim())); }, 10);
  clearTimeout(setTimeout(() => never++, 10)); clearInterval(setTimeout(() => never++, 10)); clearTimeout(setInterval(() => never++, 10));
  clearTimeout(); clearTimeout(undefined); clearTimeout(null); clearTimeout(-1); clearTimeout('x'); clearTimeout({});
  const i = setInterval(() => { if (++rounds === 5) clearInterval(i); }, 15);
  cancelAnimationFrame(requestAnimationFrame(() => never++)); cancelIdleCallback(requestIdleCallback(() => never++));
  const own = setTimeout(() => clearTimeout(own), 10);
  fails('no function', () => setTimeout()); fails('frame of nothing', () => requestAnimationFrame()); fails('frame of a number', () => requestAnimationFrame(1));
  fails('wrong this', () => setTimeout.call({}, () => {})); check('no this', setTimeout.call(undefined, () => {}) > 0);
  check('odd delays', [NaN, -5, '12', null, undefined, {}, 1e99].every(d => { const n = setTimeout(() => {}, d); clearTimeout(n); return n > 0; }));
  const seen = []; setTimeout({ toString() { seen.push('read'); return ''; } }, 10); check('an object is read once', seen.join() === 'read');
  await new Promise(done => requestAnimationFrame(t => { check('time of the frame', typeof t === 'number'); done(); }));
  await new Promise(done => requestIdleCallback(d => { check('deadline', d.timeRemaining() >= 0); done(); }));
  const asked = []; const url = { toString() { asked.push(1); return '/'; } };
  check('answer', (await fetch(url)).ok && asked.length === 1);
  check('request', (await fetch(new Request('/'))).ok && (await fetch(new URL('/', location))).ok);
  check('refusal', await fetch('http://127.0.0.1:1/').then(() => false, e => e instanceof TypeError));
  await new Promise(done => { const x = new XMLHttpRequest(); x.onloadend = () => { check('old request', x.status === 200); done(); }; x.open('GET', '/'); x.send(); });
  await new Promise(done => setTimeout(done, 200));
  check('order ' + order, order.join() === 'text,first,second');
  check('errors ' + errors, errors === 1); check('rounds ' + rounds, rounds === 5); check('cleared ' + never, never === 0);
  document.title = wrong.join(' | ') || 'fine';
};
</script>`)
	b.Click(50, 50)
	b.Says("fine")
}

func textTimer(_ *testing.T, b *Tab) {
	b.Visit(b.Site.Handle("/strict", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Security-Policy", "script-src 'unsafe-inline'")
		_, _ = w.Write([]byte(`<!doctype html><title>-</title><button` + target + `>go</button><script>
let refused = 0; addEventListener('securitypolicyviolation', e => { refused++; });
document.querySelector('button').onclick = () => {
  setTimeout('document.title = "ran"', 10);
  setTimeout(() => { document.title = refused + ' refused'; }, 100);
};</script>`))
	}))
	b.Click(50, 50)
	b.Says("1 refused")
}

// seesNothing puts listeners in every place where words between worlds could
// pass. Those of the page's own pass there too; it makes none.
func seesNothing(_ *testing.T, b *Tab) {
	b.Open(`<title>-</title><button` + target + `>go</button><script>
const seen = [];
const spy = (owner, name) => { const f = owner[name]; owner[name] = function (...args) { seen.push(name); return f.apply(this, args); }; };
for (const name of ['dispatchEvent', 'addEventListener', 'removeEventListener']) spy(EventTarget.prototype, name);
spy(JSON, 'stringify'); spy(Function.prototype, 'toString'); spy(String.prototype, 'slice'); spy(String.prototype, 'split'); spy(performance, 'now');
spy(Map.prototype, 'set'); spy(WeakMap.prototype, 'set'); spy(WeakMap.prototype, 'get'); spy(Document.prototype, 'createElement');
for (const name of ['CustomEvent', 'Event', 'MutationObserver']) window[name] = new Proxy(window[name], { construct(f, args) { seen.push(name); return Reflect.construct(f, args); } });
for (const name of ['bubbles', 'detail', 'capture', 'passive', 'toJSON', 'subtree', 'pending', 'delay'])
  Object.defineProperty(Object.prototype, name, { configurable: true, get() { seen.push('property ' + name); } });
Object.defineProperty(CustomEvent.prototype, 'detail', { get() { seen.push('detail'); return ''; } });
const before = new Set(Object.getOwnPropertyNames(window));
document.querySelector('button').onclick = () => {
  setTimeout(() => {}, 50); fetch('/'); requestAnimationFrame(() => {});
  setTimeout(() => { const more = Object.getOwnPropertyNames(window).filter(n => !before.has(n)); document.title = [...new Set(seen), ...more].join(' ') || 'nothing'; }, 300);
};</script>`)
	b.Click(50, 50)
	b.Says("nothing")
}

// brokenWorld takes away all that the page's world offers. What is left to see is
// that its document changes.
func brokenWorld(t *testing.T, b *Tab) {
	b.Open(`<title>-</title><body style="height:500px"><script>
onclick = () => { document.body.append('x'); document.title = 'clicked'; };
for (const name of ['setTimeout', 'setInterval', 'clearTimeout', 'requestAnimationFrame', 'fetch', 'CustomEvent', 'performance', 'JSON', 'Reflect', 'MutationObserver', 'WeakMap'])
  try { window[name] = () => { throw 1 }; } catch {}
for (const proto of [EventTarget.prototype, Array.prototype, String.prototype, Object.prototype, Function.prototype])
  for (const name of Object.getOwnPropertyNames(proto)) if (name !== 'constructor') try { proto[name] = () => { throw 1 }; } catch {}
</script>`)
	began := time.Now()
	b.Click(50, 50)
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("the click took %v, want it soon", took)
	}
	b.Says("clicked")
	b.Visit(b.Site.Page("/rewritten", `<title>-</title><script>onload = () => { document.open(); document.write('<title>new</title><body style="height:500px" onclick="document.title=\'hit\'">words'); document.close(); }</script>`))
	began = time.Now()
	b.Click(50, 50)
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("the click on a rewritten page took %v, want it soon", took)
	}
	b.Says("hit")
}
