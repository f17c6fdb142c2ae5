#!/usr/bin/env node
// Imports nothing, because an old Node can't load the prompts, and couldn't say why.

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`JAF needs Node 20.19 or newer, and this is Node ${process.versions.node}.`);
  process.exitCode = 1;
} else {
  // A name in a variable, so that the compiler doesn't look for the built file.
  const main = "./main.js";
  await import(main);
}
