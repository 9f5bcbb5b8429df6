/** Matches hosts that no other machine can reach; an IPv6 address may be in brackets. */
export const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|localhost|\[?::1\]?)$/i;
