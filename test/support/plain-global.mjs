import { constants, createContext } from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

/** Jest gives a test those of Node, so that it takes what Node makes for its own. */
const OF_NODE = ['ArrayBuffer', 'Uint8Array'];

/** A property that is Node's own from its first use on: Node loads some of them no sooner. */
function onUse(name, global) {
  const set = (value) => Object.defineProperty(global, name, { configurable: true, writable: true, value });
  return { configurable: true, get: () => globalThis[name], set };
}

/**
 * Jest's environment for Node, with one of V8's own global objects. That of jest is behind a proxy, which every use of
 * `Promise`, `BigInt` or `setTimeout` goes through: what computes much takes a sixth longer. Jest wants a default export.
 */
export default class PlainGlobal extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    const plain = createContext(constants.DONT_CONTEXTIFY);
    for (const name of Reflect.ownKeys(this.global)) {
      if (Object.hasOwn(plain, name) && !OF_NODE.includes(name)) continue;
      const descriptors = [this.global, globalThis].map((global) => Object.getOwnPropertyDescriptor(global, name));
      const value = descriptors.find((descriptor) => descriptor && 'value' in descriptor);
      Object.defineProperty(plain, name, value ?? onUse(name, plain));
    }
    plain.global = plain;
    this.moduleMocker = new this.moduleMocker.constructor(plain);
    this.fakeTimersModern = new this.fakeTimersModern.constructor({ config: config.projectConfig, global: plain });
    this.context = plain;
    this.global = plain;
  }
}
