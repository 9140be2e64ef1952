const refuse = () => {
  throw new Error('The tests drive Firefox with puppeteer, and do not drive Edge');
};
export {refuse as download, refuse as start};
