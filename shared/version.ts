/** Equal to the version in package.json, which the deployed functions do not carry; a test compares them. */
export const VERSION = '1.0.0';
