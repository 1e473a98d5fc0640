// Loaded before the built programs (node --require): makes scrypt cheap, for tests that log in but are not about passwords.
// One hash at the real cost takes 0.4 s of processor time. The cost that a stored hash names stays the real one.
const crypto = require('node:crypto');
const { syncBuiltinESMExports } = require('node:module');

const { scrypt } = crypto;
crypto.scrypt = (password, salt, length, options, done) => scrypt(password, salt, length, { ...options, N: 16 }, done);
syncBuiltinESMExports();
