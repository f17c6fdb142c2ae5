#!/usr/bin/env node
// In syntax that old versions of Node.js can read, so that they can say what is wrong.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `Node.js ${process.versions.node} is too old: install 20.19 or newer from https://nodejs.org`,
  );
  process.exitCode = 1;
} else {
  import("./dist/main.js")
    .then(({ main }) => main(process.argv.slice(2), process.env))
    .then((exitCode) => {
      process.exitCode = exitCode;
    });
}
