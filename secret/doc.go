// Package secret keeps values that only their sites may learn: passwords, keys,
// one-time codes. The model knows a secret by its name and types
// <secret>NAME</secret>; a Guard puts the value in its place when the field belongs
// to one of the secret's sites, and a Store takes the value out of every text that
// comes back, in whatever encoding.
//
// What it cannot see it cannot take out: pictures are for the browser to mask,
// with Store.Values, and a page that turns a value into something else (its
// letters backwards, a hash) is not understood. It decides nothing about actions
// without a secret; that is the policy's.
package secret
