/**
 * The name and version of the package that uses it, e.g. `@jaf/core 0.1.0`. The build writes it into the code
 * (tsup.base.ts); it is `undefined` if sources run, as in tests.
 */
declare var JAF_RELEASE: string | undefined;
