module.exports = { transform: {} };
