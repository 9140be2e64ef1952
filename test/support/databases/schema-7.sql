CREATE TABLE public.consents (
    lead_id text NOT NULL,
    consent text NOT NULL
);
CREATE TABLE public.deliveries (
    lead_id text NOT NULL,
    destination text NOT NULL,
    gives_answer bigint NOT NULL,
    state text NOT NULL,
    attempts bigint NOT NULL,
    ambiguous bigint NOT NULL,
    ambiguous_counted bigint NOT NULL,
    next_attempt_at bigint NOT NULL,
    leased_until bigint NOT NULL,
    last_error text,
    remote_id text,
    settled_at bigint,
    CONSTRAINT deliveries_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'held'::text, 'refused'::text, 'delivered'::text, 'dropped'::text])))
);
CREATE TABLE public.heartbeat (
    id bigint NOT NULL,
    written_at bigint NOT NULL,
    filler text NOT NULL,
    CONSTRAINT heartbeat_id_check CHECK ((id = 1))
);
CREATE TABLE public.idempotency_keys (
    owner text NOT NULL,
    digest text NOT NULL,
    fingerprint text NOT NULL,
    lead_id text NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.leads (
    id text NOT NULL,
    created_at bigint NOT NULL,
    cid text NOT NULL,
    partner text,
    lead_type text NOT NULL,
    lead text NOT NULL,
    suspect text,
    supersedes text,
    duplicate_of text,
    status text NOT NULL,
    rollover_amount bigint,
    sba_qualified_amount bigint,
    unsecured_amount bigint,
    portfolio_loan_qualified_amount bigint,
    total_qualified_amount bigint,
    reasons text NOT NULL,
    policy_version text,
    attribution text,
    utm_source text,
    utm_medium text,
    utm_campaign text,
    CONSTRAINT leads_status_check CHECK ((status = ANY (ARRAY['done'::text, 'pending'::text, 'refused'::text])))
);
CREATE TABLE public.same_leads (
    partner text NOT NULL,
    digest text NOT NULL,
    lead_id text NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.schema_version (
    version bigint NOT NULL
);
CREATE TABLE public.spent_proofs (
    nonce text NOT NULL,
    expires_at bigint NOT NULL
);
INSERT INTO public.consents VALUES ('01a20084-3a1a-7c9e-97c7-3851a43e0db3', '{"textVersion":"2026-11","textHash":"6254b47edad3a27e640762c996cf67b0bea81d62cb958d1acf49ad7701b0e204","agreed":true,"givenAt":1795304995354,"page":"https://www.partner.example/funding","ip":"127.0.0.1","userAgent":"node"}');
INSERT INTO public.consents VALUES ('01a20084-3a24-7416-ae44-1bf5b7aeb6e4', '{"textVersion":"2026-11","textHash":"6254b47edad3a27e640762c996cf67b0bea81d62cb958d1acf49ad7701b0e204","agreed":true,"givenAt":1795304995364,"page":"https://www.partner.example/funding","ip":"127.0.0.1","userAgent":"node"}');
INSERT INTO public.consents VALUES ('01a20084-3a2d-76b8-acc1-f36c273b53d3', '{"textVersion":"2026-11","textHash":"6254b47edad3a27e640762c996cf67b0bea81d62cb958d1acf49ad7701b0e204","agreed":true,"givenAt":1795304995373,"page":"https://www.partner.example/funding","ip":"127.0.0.1","userAgent":"node"}');
INSERT INTO public.consents VALUES ('01a20084-3a3a-78c9-94c4-2364b0ab2b5a', '{"textVersion":"2026-11","textHash":"6254b47edad3a27e640762c996cf67b0bea81d62cb958d1acf49ad7701b0e204","agreed":true,"givenAt":1795304995386,"page":"https://www.partner.example/funding","ip":"127.0.0.1","userAgent":"node"}');
INSERT INTO public.consents VALUES ('01a20084-3a42-7cf2-9b6d-3db6c0c25de6', '{"textVersion":"2026-11","textHash":"6254b47edad3a27e640762c996cf67b0bea81d62cb958d1acf49ad7701b0e204","agreed":true,"givenAt":1795304995393,"page":"https://www.partner.example/funding","ip":"127.0.0.1","userAgent":"node"}');
INSERT INTO public.consents VALUES ('01a20084-3a4a-77b9-b875-6f0cdb3e3f13', '{"textVersion":"2026-11","textHash":"6254b47edad3a27e640762c996cf67b0bea81d62cb958d1acf49ad7701b0e204","agreed":true,"givenAt":1795304995402,"page":"https://www.partner.example/funding","ip":"127.0.0.1","userAgent":"node"}');
INSERT INTO public.consents VALUES ('01a20084-3a53-7902-803d-97bc59ab0fe3', '{"textVersion":"2026-11","textHash":"6254b47edad3a27e640762c996cf67b0bea81d62cb958d1acf49ad7701b0e204","agreed":true,"givenAt":1795304995411,"page":"https://www.partner.example/funding","ip":"127.0.0.1","userAgent":"node"}');
INSERT INTO public.consents VALUES ('01a20084-3a5a-7f93-b7d8-08c14b088b6f', '{"textVersion":"2026-11","textHash":"6254b47edad3a27e640762c996cf67b0bea81d62cb958d1acf49ad7701b0e204","agreed":true,"givenAt":1795304995418,"page":"https://www.partner.example/funding","ip":"127.0.0.1","userAgent":"node"}');
INSERT INTO public.consents VALUES ('01a20084-3a60-7794-882a-f0d61a99cb63', '{"textVersion":"2026-11","textHash":"6254b47edad3a27e640762c996cf67b0bea81d62cb958d1acf49ad7701b0e204","agreed":true,"givenAt":1795304995423,"page":"https://www.partner.example/funding","ip":"127.0.0.1","userAgent":"node"}');
INSERT INTO public.consents VALUES ('01a20084-3a69-7a30-8560-43d77c5d8c24', '{"textVersion":"2026-11","textHash":"6254b47edad3a27e640762c996cf67b0bea81d62cb958d1acf49ad7701b0e204","agreed":true,"givenAt":1795304995433,"page":"https://www.partner.example/funding","ip":"127.0.0.1","userAgent":"node"}');
INSERT INTO public.consents VALUES ('01a20084-3ad6-7cf2-a8cd-6e43dbe6d6b4', '{"textVersion":"2026-11","textHash":"6254b47edad3a27e640762c996cf67b0bea81d62cb958d1acf49ad7701b0e204","agreed":true,"givenAt":1795304995542,"page":"https://www.partner.example/funding","ip":"127.0.0.1","userAgent":"node"}');
INSERT INTO public.deliveries VALUES ('01a20084-3a4a-77b9-b875-6f0cdb3e3f13', 'lender', 1, 'refused', 1, 0, 0, 1795305040402, 0, NULL, NULL, NULL);
INSERT INTO public.deliveries VALUES ('01a20084-3a53-7902-803d-97bc59ab0fe3', 'lender', 1, 'held', 1, 1, 1, 1795305010439, 0, 'The upstream answered POST with 500', NULL, NULL);
INSERT INTO public.deliveries VALUES ('01a20084-3a5a-7f93-b7d8-08c14b088b6f', 'lender', 1, 'held', 0, 0, 0, 1795305040418, 0, NULL, NULL, NULL);
INSERT INTO public.deliveries VALUES ('01a20084-3a60-7794-882a-f0d61a99cb63', 'lender', 1, 'waiting', 1, 0, 0, 1795305626857, 0, 'The upstream answered POST with 503', NULL, NULL);
INSERT INTO public.deliveries VALUES ('01a20084-3ad6-7cf2-a8cd-6e43dbe6d6b4', 'lender', 1, 'waiting', 1, 0, 0, 1795305335429, 0, 'The upstream answered GET with 503', 'upstream-02546d27-ed62-4b5e-abeb-b2a79365b11e', NULL);
INSERT INTO public.deliveries VALUES ('01a20084-3a2d-76b8-acc1-f36c273b53d3', '(before 1.1)', 1, 'delivered', 1, 0, 0, 1795304995373, 0, NULL, 'upstream-66549a63-0cf6-4e7a-b30f-ce2f1c7dce4b', 1795304995373);
INSERT INTO public.deliveries VALUES ('01a20084-3a42-7cf2-9b6d-3db6c0c25de6', '(before 1.1)', 1, 'delivered', 1, 0, 0, 1795304995394, 0, NULL, 'upstream-e990150e-1d18-416d-a977-eb29b2886fe8', 1795304995394);
INSERT INTO public.deliveries VALUES ('01a20084-3a1a-7c9e-97c7-3851a43e0db3', 'second', 0, 'held', 1, 2, 3, 1795304995355, 0, NULL, NULL, NULL);
INSERT INTO public.deliveries VALUES ('01a20084-3a24-7416-ae44-1bf5b7aeb6e4', 'second', 0, 'refused', 2, 3, 4, 1795304995366, 0, 'The upstream refused the lead with 422', 'second-01a20084-3a24-7416-ae44-1bf5b7aeb6e4', NULL);
INSERT INTO public.deliveries VALUES ('01a20084-3a29-7b36-ac6a-086b574db797', 'second', 0, 'delivered', 3, 4, 5, 1795304995372, 0, NULL, NULL, 1795304995372);
INSERT INTO public.deliveries VALUES ('01a20084-3a2d-76b8-acc1-f36c273b53d3', 'second', 0, 'dropped', 4, 5, 6, 1795304995377, 0, NULL, 'second-01a20084-3a2d-76b8-acc1-f36c273b53d3', 1795304995377);
INSERT INTO public.deliveries VALUES ('01a20084-3a3a-78c9-94c4-2364b0ab2b5a', 'second', 0, 'waiting', 5, 6, 7, 1795304995391, 5, NULL, NULL, NULL);
INSERT INTO public.deliveries VALUES ('01a20084-3a42-7cf2-9b6d-3db6c0c25de6', 'second', 0, 'held', 6, 7, 8, 1795304995400, 0, NULL, 'second-01a20084-3a42-7cf2-9b6d-3db6c0c25de6', NULL);
INSERT INTO public.deliveries VALUES ('01a20084-3a4a-77b9-b875-6f0cdb3e3f13', 'second', 0, 'refused', 7, 8, 9, 1795304995409, 0, 'The upstream refused the lead with 422', NULL, NULL);
INSERT INTO public.deliveries VALUES ('01a20084-3a53-7902-803d-97bc59ab0fe3', 'second', 0, 'delivered', 8, 9, 10, 1795304995419, 0, NULL, 'second-01a20084-3a53-7902-803d-97bc59ab0fe3', 1795304995419);
INSERT INTO public.deliveries VALUES ('01a20084-3a5a-7f93-b7d8-08c14b088b6f', 'second', 0, 'dropped', 9, 10, 11, 1795304995427, 0, NULL, NULL, 1795304995427);
INSERT INTO public.deliveries VALUES ('01a20084-3a60-7794-882a-f0d61a99cb63', 'second', 0, 'waiting', 10, 11, 12, 1795304995434, 10, NULL, 'second-01a20084-3a60-7794-882a-f0d61a99cb63', NULL);
INSERT INTO public.deliveries VALUES ('01a20084-3a69-7a30-8560-43d77c5d8c24', 'second', 0, 'held', 11, 12, 13, 1795304995444, 0, NULL, NULL, NULL);
INSERT INTO public.deliveries VALUES ('01a20084-3ad6-7cf2-a8cd-6e43dbe6d6b4', 'second', 0, 'refused', 12, 13, 14, 1795304995554, 0, 'The upstream refused the lead with 422', 'second-01a20084-3ad6-7cf2-a8cd-6e43dbe6d6b4', NULL);
INSERT INTO public.idempotency_keys VALUES ('partner:calculated', 'e72afe56201c92a4ba211bbd642081cd19be291180eb898133229d0b695dfc6d', 'a5142448f98d9b0899f0bf816cba0bdfe57248927b9141ff2ae510aa168c4d3d', '01a20084-3a1a-7c9e-97c7-3851a43e0db3', 1795304995354);
INSERT INTO public.idempotency_keys VALUES ('partner:calculated', '99630af402fa8b5176fd2208db7a1153f6ad43ac8588de8e0f6de7f5049e90d4', 'af1b736c0105e78463bf8e215885ac3686b90fbfe2df89d344c58428b6377a0f', '01a20084-3a24-7416-ae44-1bf5b7aeb6e4', 1795304995364);
INSERT INTO public.idempotency_keys VALUES ('caller:acme', 'f1895851e11c4804874ecbb4a970ebe128066332e2a690b3685ab978f4640967', '4cb4ee40c6253cb52c77efc5a190dca29acd50bae2e9617ab05a7311bd6dfd2b', '01a20084-3a29-7b36-ac6a-086b574db797', 1795304995369);
INSERT INTO public.idempotency_keys VALUES ('partner:lender', 'fd418a32f7d3b0f2e6cb7a7930b78a1353b51b0f70cf1fb6a73ec9418f8a1d43', '28be4308f2f18d979aee5c9d73a03799ee7fc4f9f048f9ae1743e0c2f6c54551', '01a20084-3a2d-76b8-acc1-f36c273b53d3', 1795304995373);
INSERT INTO public.idempotency_keys VALUES ('partner:lender', '45f09035d88b73db2a909cd202e7d77384d4bd3dd85d5b3076950b271a123f61', '28be4308f2f18d979aee5c9d73a03799ee7fc4f9f048f9ae1743e0c2f6c54551', '01a20084-3a3a-78c9-94c4-2364b0ab2b5a', 1795304995386);
INSERT INTO public.idempotency_keys VALUES ('partner:lender', 'da7a089a8c5af8b39a3fc9d025a558784320f39739bfa538f01bb8a7d5f9c4d4', 'ff94ef0bb21674a8ba1c2e67ad2c6ce6fd732a1e3ed48184a94bd1b2863ea8a6', '01a20084-3a42-7cf2-9b6d-3db6c0c25de6', 1795304995394);
INSERT INTO public.idempotency_keys VALUES ('partner:lender', '4044f55dc459b2f3d3052bcef27f90b2ea2bacb566a2624f00fed4afa081ffb2', '4c490887aeeb9d26203e82f47a4f1de3af6731d65718c5e5532f9c85d9de6e91', '01a20084-3a4a-77b9-b875-6f0cdb3e3f13', 1795304995402);
INSERT INTO public.idempotency_keys VALUES ('partner:lender', '8bb6ef7d4da4f2044be2b9c67298002f26d415f5987fb6c72ba3e4bf40b80631', '6ba7feedef27fb461ebf74830f7986e968eac0592a70b68b9c1631f0553fc4d2', '01a20084-3a53-7902-803d-97bc59ab0fe3', 1795304995411);
INSERT INTO public.idempotency_keys VALUES ('partner:careful', 'd2cc2206f2915f31dd5d32a2b078c16ced7f6ff9e75bf24d7deaf12f4ef5c62e', '397c437e0c5b415455aefd56a893e60d6d910079c7ea2c39dd0066584d8026b3', '01a20084-3a5a-7f93-b7d8-08c14b088b6f', 1795304995418);
INSERT INTO public.idempotency_keys VALUES ('partner:lender', '69fc32634d0d488f4b19f35fb26835c3c10ca7a2e470ee7c1ad1e265d0d3198e', '2cf39207d8845dc1b7bfb47d21aeed1dbb5dc1bc2624b3a33b070616233b3d4d', '01a20084-3a60-7794-882a-f0d61a99cb63', 1795304995424);
INSERT INTO public.idempotency_keys VALUES ('partner:lender', 'dcdd535226bc879328298b129c743f61f9ecf9f542395a417e467f9e9bc487b4', '2cf39207d8845dc1b7bfb47d21aeed1dbb5dc1bc2624b3a33b070616233b3d4d', '01a20084-3a69-7a30-8560-43d77c5d8c24', 1795304995433);
INSERT INTO public.idempotency_keys VALUES ('partner:lender', '6cc8d54538eef07418ab0f6ac559e058d8c8cc89234be64b0c9ee4c00a6f4b00', 'be8c281aaa604e47edff21421e855ffc796f0f4b849903167d736ae1a30a84aa', '01a20084-3ad6-7cf2-a8cd-6e43dbe6d6b4', 1795304995542);
INSERT INTO public.leads VALUES ('01a20084-3a29-7b36-ac6a-086b574db797', 1795304995369, '1001', NULL, 'prequalification', '{"first_name":"Caller","last_name":"Example","email":"caller@example.com","phone":{"typed":"202-555-0142","e164":"+12025550142"},"credit_score":"Above 720","bankruptcy":false,"retirement":100000,"cash":50000,"investments":20001}', NULL, NULL, NULL, 'done', 100000, 600000, 150000, 12000, 862000, '{}', '2026-11', NULL, NULL, NULL, NULL);
INSERT INTO public.leads VALUES ('01a20084-3a1a-7c9e-97c7-3851a43e0db3', 1795304995354, '1001', 'calculated', 'prequalification', '{"first_name":"Calculated","last_name":"Example","email":"calculated@example.com","phone":{"typed":"202-555-0142","e164":"+12025550142"},"credit_score":"Above 720","bankruptcy":false,"retirement":100000,"cash":50000,"investments":20001}', NULL, NULL, NULL, 'done', 100000, 600000, 150000, 12000, 862000, '{}', '2026-11', '{"utm_source":"newsletter","utm_campaign":"autumn","gclid":"abc","referrer":"https://search.example/"}', 'newsletter', NULL, 'autumn');
INSERT INTO public.leads VALUES ('01a20084-3a24-7416-ae44-1bf5b7aeb6e4', 1795304995364, '1001', 'calculated', 'standard', '{"first_name":"Standard","last_name":"Example","email":"standard@example.com","phone":{"typed":"202-555-0142","e164":"+12025550142"}}', NULL, NULL, NULL, 'done', NULL, NULL, NULL, NULL, NULL, '{}', NULL, '{"utm_source":"newsletter","utm_campaign":"autumn","gclid":"abc","referrer":"https://search.example/"}', 'newsletter', NULL, 'autumn');
INSERT INTO public.leads VALUES ('01a20084-3a69-7a30-8560-43d77c5d8c24', 1795304995433, '1001', 'lender', 'prequalification', '{"first_name":"Waiting","last_name":"Example","email":"waiting@example.com","phone":{"typed":"202-555-0142","e164":"+12025550142"},"credit_score":"Above 720","bankruptcy":false,"retirement":100000,"cash":50000,"investments":20001}', NULL, NULL, '01a20084-3a60-7794-882a-f0d61a99cb63', 'pending', NULL, NULL, NULL, NULL, NULL, '{}', NULL, '{"utm_source":"newsletter","utm_campaign":"autumn","gclid":"abc","referrer":"https://search.example/"}', 'newsletter', NULL, 'autumn');
INSERT INTO public.leads VALUES ('01a20084-3a2d-76b8-acc1-f36c273b53d3', 1795304995373, '1001', 'lender', 'prequalification', '{"first_name":"Delivered","last_name":"Example","email":"delivered@example.com","phone":{"typed":"202-555-0142","e164":"+12025550142"},"credit_score":"Above 720","bankruptcy":false,"retirement":100000,"cash":50000,"investments":20001}', NULL, NULL, NULL, 'done', 100000, 600000, 150000, 12000, 862000, '{}', NULL, '{"utm_source":"newsletter","utm_campaign":"autumn","gclid":"abc","referrer":"https://search.example/"}', 'newsletter', NULL, 'autumn');
INSERT INTO public.leads VALUES ('01a20084-3a3a-78c9-94c4-2364b0ab2b5a', 1795304995386, '1001', 'lender', 'prequalification', '{"first_name":"Delivered","last_name":"Example","email":"delivered@example.com","phone":{"typed":"202-555-0142","e164":"+12025550142"},"credit_score":"Above 720","bankruptcy":false,"retirement":100000,"cash":50000,"investments":20001}', NULL, NULL, '01a20084-3a2d-76b8-acc1-f36c273b53d3', 'pending', NULL, NULL, NULL, NULL, NULL, '{}', NULL, '{"utm_source":"newsletter","utm_campaign":"autumn","gclid":"abc","referrer":"https://search.example/"}', 'newsletter', NULL, 'autumn');
INSERT INTO public.leads VALUES ('01a20084-3a42-7cf2-9b6d-3db6c0c25de6', 1795304995394, '1001', 'lender', 'prequalification', '{"first_name":"Corrected","last_name":"Example","email":"corrected@example.com","phone":{"typed":"202-555-0142","e164":"+12025550142"},"credit_score":"Above 720","bankruptcy":false,"retirement":100000,"cash":50000,"investments":20001}', NULL, '01a20084-3a2d-76b8-acc1-f36c273b53d3', NULL, 'done', 100000, 600000, 150000, 12000, 862000, '{}', NULL, '{"utm_source":"newsletter","utm_campaign":"autumn","gclid":"abc","referrer":"https://search.example/"}', 'newsletter', NULL, 'autumn');
INSERT INTO public.leads VALUES ('01a20084-3a4a-77b9-b875-6f0cdb3e3f13', 1795304995402, '1001', 'lender', 'prequalification', '{"first_name":"Refused","last_name":"Example","email":"refused@example.com","phone":{"typed":"202-555-0142","e164":"+12025550142"},"credit_score":"Above 720","bankruptcy":false,"retirement":100000,"cash":50000,"investments":20001}', NULL, NULL, NULL, 'refused', NULL, NULL, NULL, NULL, NULL, '{}', NULL, '{"utm_source":"newsletter","utm_campaign":"autumn","gclid":"abc","referrer":"https://search.example/"}', 'newsletter', NULL, 'autumn');
INSERT INTO public.leads VALUES ('01a20084-3a53-7902-803d-97bc59ab0fe3', 1795304995411, '1001', 'lender', 'prequalification', '{"first_name":"Ambiguous","last_name":"Example","email":"ambiguous@example.com","phone":{"typed":"202-555-0142","e164":"+12025550142"},"credit_score":"Above 720","bankruptcy":false,"retirement":100000,"cash":50000,"investments":20001}', NULL, NULL, NULL, 'pending', NULL, NULL, NULL, NULL, NULL, '{}', NULL, '{"utm_source":"newsletter","utm_campaign":"autumn","gclid":"abc","referrer":"https://search.example/"}', 'newsletter', NULL, 'autumn');
INSERT INTO public.leads VALUES ('01a20084-3a5a-7f93-b7d8-08c14b088b6f', 1795304995418, '1001', 'careful', 'prequalification', '{"first_name":"Suspect","last_name":"Example","email":"suspect@example.com","phone":{"typed":"202-555-0142","e164":"+12025550142"},"credit_score":"Above 720","bankruptcy":false,"retirement":100000,"cash":50000,"investments":20001}', 'trap fast', NULL, NULL, 'pending', NULL, NULL, NULL, NULL, NULL, '{}', NULL, '{"utm_source":"newsletter","utm_campaign":"autumn","gclid":"abc","referrer":"https://search.example/"}', 'newsletter', NULL, 'autumn');
INSERT INTO public.leads VALUES ('01a20084-3a60-7794-882a-f0d61a99cb63', 1795304995424, '1001', 'lender', 'prequalification', '{"first_name":"Waiting","last_name":"Example","email":"waiting@example.com","phone":{"typed":"202-555-0142","e164":"+12025550142"},"credit_score":"Above 720","bankruptcy":false,"retirement":100000,"cash":50000,"investments":20001}', NULL, NULL, NULL, 'pending', NULL, NULL, NULL, NULL, NULL, '{}', NULL, '{"utm_source":"newsletter","utm_campaign":"autumn","gclid":"abc","referrer":"https://search.example/"}', 'newsletter', NULL, 'autumn');
INSERT INTO public.leads VALUES ('01a20084-3ad6-7cf2-a8cd-6e43dbe6d6b4', 1795304995542, '1001', 'lender', 'prequalification', '{"first_name":"Taken","last_name":"Example","email":"taken@example.com","phone":{"typed":"202-555-0142","e164":"+12025550142"},"credit_score":"Above 720","bankruptcy":false,"retirement":100000,"cash":50000,"investments":20001}', NULL, NULL, NULL, 'pending', NULL, NULL, NULL, NULL, NULL, '{}', NULL, '{"utm_source":"newsletter","utm_campaign":"autumn","gclid":"abc","referrer":"https://search.example/"}', 'newsletter', NULL, 'autumn');
INSERT INTO public.same_leads VALUES ('lender', 'a76d42fe53030b327e2429eba8f06033f5d74202e8c87303d87eb94b116f9782', '01a20084-3a2d-76b8-acc1-f36c273b53d3', 1795304995373);
INSERT INTO public.same_leads VALUES ('lender', '3c022effebc8dbf167fbde2828dced1395db92a0cbaa45c003ed655120b532f0', '01a20084-3a4a-77b9-b875-6f0cdb3e3f13', 1795304995402);
INSERT INTO public.same_leads VALUES ('lender', '169772c28dadc98c7cb1a082dd5592f7ef1ed27512b968e20a045a4caeb9f48f', '01a20084-3a53-7902-803d-97bc59ab0fe3', 1795304995411);
INSERT INTO public.same_leads VALUES ('lender', '161e1e041548b969de4a7cf1ad7bef68d7895eb2151e4931a6c4af47f213a32e', '01a20084-3a60-7794-882a-f0d61a99cb63', 1795304995424);
INSERT INTO public.same_leads VALUES ('lender', '9cff2941ac889af3ca92ce2d4b6639c2adf81ce15bd0b48170f943817aee482d', '01a20084-3ad6-7cf2-a8cd-6e43dbe6d6b4', 1795304995542);
INSERT INTO public.schema_version VALUES (7);
ALTER TABLE ONLY public.consents
    ADD CONSTRAINT consents_pkey PRIMARY KEY (lead_id);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (lead_id, destination);
ALTER TABLE ONLY public.heartbeat
    ADD CONSTRAINT heartbeat_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (owner, digest);
ALTER TABLE ONLY public.leads
    ADD CONSTRAINT leads_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.same_leads
    ADD CONSTRAINT same_leads_pkey PRIMARY KEY (partner, digest);
ALTER TABLE ONLY public.spent_proofs
    ADD CONSTRAINT spent_proofs_pkey PRIMARY KEY (nonce);
CREATE INDEX deliveries_due ON public.deliveries USING btree (destination, next_attempt_at) WHERE (state = 'waiting'::text);
CREATE INDEX deliveries_open ON public.deliveries USING btree (lead_id, destination, state) WHERE (settled_at IS NULL);
CREATE INDEX deliveries_stopped ON public.deliveries USING btree (state, lead_id, destination) WHERE ((settled_at IS NULL) AND (state <> 'waiting'::text));
CREATE INDEX idempotency_keys_lead ON public.idempotency_keys USING btree (lead_id);
CREATE INDEX leads_campaign ON public.leads USING btree (utm_campaign, id) WHERE (utm_campaign IS NOT NULL);
CREATE INDEX leads_duplicate_of ON public.leads USING btree (duplicate_of) WHERE (duplicate_of IS NOT NULL);
CREATE INDEX leads_partner ON public.leads USING btree (partner, id);
CREATE INDEX same_leads_lead ON public.same_leads USING btree (lead_id);
ALTER TABLE ONLY public.consents
    ADD CONSTRAINT consents_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id);
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id);
ALTER TABLE ONLY public.same_leads
    ADD CONSTRAINT same_leads_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id);
