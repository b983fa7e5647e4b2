// Runs in the page's own world before the page: what the page asks of the browser
// and a picture cannot show is told to our world by an event whose name only the
// two know. Printing is left out, because its window would stop the page.
(secret => {
  const {apply, getOwnPropertyDescriptor, defineProperty} = Reflect;
  const send = EventTarget.prototype.dispatchEvent, Told = CustomEvent, Plain = Event, view = window, text = String;
  const tell = what => { try { apply(send, view, [new Told(secret, {detail: what})]); } catch {} };
  const wrap = (owner, name, call) => {
    try {
      const d = getOwnPropertyDescriptor(owner, name);
      if (d && typeof d.value === 'function') defineProperty(owner, name, {...d, value: new Proxy(d.value, {apply: call})});
    } catch {}
  };

  const print = () => {
    tell('print');
    try {
      apply(send, view, [new Plain('beforeprint')]);
      apply(send, view, [new Plain('afterprint')]);
    } catch {}
  };
  wrap(view, 'print', print);
  wrap(Document.prototype, 'execCommand', (f, self, args) => {
    if (typeof args[0] !== 'string' || text(args[0]).toLowerCase() !== 'print') return apply(f, self, args);
    print();
    return true;
  });

  wrap(view, 'open', (f, self, args) => {
    const opened = apply(f, self, args);
    if (opened === null && !/noopener|noreferrer/i.test(typeof args[2] === 'string' ? args[2] : '')) tell('popup');
    return opened;
  });

  const asks = {
    location: [view.Geolocation, 'getCurrentPosition', 'watchPosition'],
    camera: [view.MediaDevices, 'getUserMedia'],
    screen: [view.MediaDevices, 'getDisplayMedia'],
    clipboard: [view.Clipboard, 'read', 'readText'],
    device: [view.Bluetooth, 'requestDevice'],
    usb: [view.USB, 'requestDevice'],
    serial: [view.Serial, 'requestPort'],
    hid: [view.HID, 'requestDevice'],
    midi: [view.Navigator, 'requestMIDIAccess'],
    fonts: [{prototype: view}, 'queryLocalFonts'],
    screens: [{prototype: view}, 'getScreenDetails'],
    notifications: [{prototype: view.Notification}, 'requestPermission'],
    idle: [{prototype: view.IdleDetector}, 'requestPermission'],
  };
  for (const what in asks) {
    const [owner, ...names] = asks[what];
    if (!owner || !owner.prototype) continue;
    for (const name of names) wrap(owner.prototype, name, (f, self, args) => { tell(what); return apply(f, self, args); });
  }
})('{{secret}}');
