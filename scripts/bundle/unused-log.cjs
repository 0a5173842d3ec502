// Stands in for `debug` and `depd`, through which packages talk to their own developers on standard error. A server has its own log.
module.exports = () => Object.assign(() => {}, { function: (/** @type {unknown} */ deprecated) => deprecated, property() {} })
