// Loaded before a program (node --require): a warning of Node ends the process. Node has written it to stderr before.
process.on('warning', (warning) => {
  throw warning;
});
