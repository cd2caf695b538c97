SELECT 100.0 * sum(clicks) / sum(impressions) AS ctr
FROM ads.campaign_daily
WHERE market = {{ market }}
  AND is_house = FALSE
  AND report_date BETWEEN {{ period.start }} AND {{ period.end }}
